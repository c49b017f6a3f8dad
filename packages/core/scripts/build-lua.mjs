// Builds src/redis/scripts.gen.ts out of lua/. `--check` fails when the committed file is not what it would write.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { inline } from './inline-lua.mjs'

const LUA = new URL('../lua/', import.meta.url)
const OUT = new URL('../src/redis/scripts.gen.ts', import.meta.url)

const STEPS = ['fixed-window', 'sliding-window', 'token-bucket', 'sliding-log']

const LOG = 'sliding-log'

const WITHOUT_LOG = ['math', 'rows', 'writing', ...STEPS.slice(0, 3).map((kind) => `step=${kind}`)]
const COUNTERS = [...WITHOUT_LOG, 'steps']
const ALL = [...WITHOUT_LOG, 'log-blocks', 'log-entries', LOG, 'steps+log']

/**
 * Which parts make which script: one a kind for a single policy, `counters` for any list without a log, `all` for any.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const RECIPES = {
  ...Object.fromEntries(STEPS.slice(0, 3).map((kind) => [kind, ['time', `single=${kind}`]])),
  [LOG]: [
    'time',
    'words',
    'question',
    'log-blocks',
    'quick-log',
    'quick-list',
    'math',
    'rows',
    'writing',
    'log-entries',
    LOG,
    'single-log',
  ],
  counters: ['time', 'words', ...COUNTERS, 'policies', 'many'],
  all: ['time', 'words', ...ALL, 'policies', 'many'],
  settle: ['time', 'words', 'question', ...ALL, 'policies', 'settle'],
  repay: ['time', 'words', 'question', ...ALL, 'policies', 'repay'],
}

/**
 * The text of one part, without comments. `replace` lets tests exchange a part, such as the clock.
 *
 * @param {string} name
 * @param {Readonly<Record<string, string>>} replace
 * @returns {string}
 */
export function part(name, replace = {}) {
  const replaced = replace[name]
  if (replaced !== undefined) return replaced
  if (name.startsWith('single=')) {
    const of = (/** @type {string} */ one) => part(one, replace)
    const step = of(name.slice(7))
    const frame = of('single').replace('--+ joining\n', step.includes('.joins(') ? of('joining') : '')
    return inline(frame, { step, words: of('words'), include: of })
  }
  // Two functions are called by the scripts of one policy alone.
  if (name.startsWith('step='))
    return part(name.slice(5), replace).replaceAll(/^function \w+\.(?:joins|slack)\([\s\S]*?^end\n/gm, '')
  if (name.startsWith('steps')) {
    const kinds = name.endsWith('+log') ? STEPS : STEPS.slice(0, 3)
    const table = kinds.map((kind) => `['${kind}'] = ${local(kind)}`).join(', ')
    return `local STEPS = { ${table} }\n`
  }
  const text = readFileSync(new URL(`${name}.lua`, LUA), 'utf8')
  return text
    .replaceAll(/^ *--(?!\+).*\n/gm, '')
    .replaceAll(/\n\n+/g, '\n')
    .trimStart()
}

/**
 * The text of one script.
 *
 * @param {string} name
 * @param {Readonly<Record<string, string>>} [replace]
 */
export function assemble(name, replace) {
  return partsOf(name)
    .map((one) => part(one, replace))
    .join('')
}

/** @param {string} name */
function partsOf(name) {
  const parts = RECIPES[name]
  if (parts === undefined) throw new RangeError(`There is no script "${name}"`)
  return parts
}

/** @param {string} kind */
function local(kind) {
  return kind.replace('-', '_')
}

function generate() {
  const names = [...new Set(Object.values(RECIPES).flat())]
  const parts = names.map((name) => `  ${key(name)}: ${literal(part(name))},\n`).join('')
  const scripts = Object.keys(RECIPES).map((name) => {
    const text = assemble(name)
    const list = partsOf(name)
      .map((one) => `PARTS${/^\w+$/.test(one) ? `.${one}` : `['${one}']`}`)
      .join(' + ')
    return `  ${key(name)}: {\n    text: ${list},\n    sha: '${sha(`#!lua\n${text}`)}',\n    plainSha: '${sha(text)}',\n  },\n`
  })
  return [
    '// Generated from lua/ by scripts/build-lua.mjs. Edit the parts there.\n',
    `const PARTS = {\n${parts}} as const\n`,
    '/** A script: its text, and its SHA-1 with a `#!lua` line in front and (for servers before 7.0) without. */',
    'export interface Script {\n  readonly text: string\n  readonly sha: string\n  readonly plainSha: string\n}\n',
    `export type ScriptName = ${Object.keys(RECIPES)
      .map((name) => `'${name}'`)
      .join(' | ')}\n`,
    `export const SCRIPTS: { readonly [K in ScriptName]: Script } = {\n${scripts.join('')}}\n`,
  ].join('\n')
}

/** @param {string} name */
function key(name) {
  return /^\w+$/.test(name) ? name : `'${name}'`
}

/** @param {string} text */
function literal(text) {
  return `\`${text.replaceAll(/[\\`$]/g, '\\$&')}\``
}

/** @param {string} text */
function sha(text) {
  return createHash('sha1').update(text).digest('hex')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = generate()
  if (!process.argv.includes('--check')) {
    writeFileSync(OUT, text)
  } else if (readFileSync(OUT, 'utf8') !== text) {
    console.error(
      'packages/core/src/redis/scripts.gen.ts is not current: run node packages/core/scripts/build-lua.mjs',
    )
    process.exitCode = 1
  }
}
