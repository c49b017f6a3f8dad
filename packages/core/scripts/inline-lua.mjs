// Makes a script without functions and tables of its own out of a frame and the functions of one algorithm. Lua makes them
// anew in every call of a script, and looks up every name: on the server that costs more than the decision itself.

/**
 * The frame with each `step.name(…)` replaced by the body of that function, which has one `return`, its last line; with `row.a`
 * as `a` and `policy.limit` as `limit`; with the numbers of `words` in place of their names; and with `include` where
 * it says `--+ name`.
 *
 * @param {string} frame
 * @param {{ step: string, words: string, include: (name: string) => string }} parts
 */
export function inline(frame, { step, words, include }) {
  const functions = functionsOf(step)
  const lines = frame.split('\n').flatMap((line) => expand(line, functions))
  const flat = withoutTables(lines.join('\n'))
  const math = ['floor', 'ceil', 'min', 'max'].filter((name) => new RegExp(`\\b${name}\\(`).test(flat))
  const locals = math.map((name) => `local ${name} = math.${name}\n`).join('')
  const whole = flat.replaceAll(/^ *--\+ (\w+)\n/gm, (_, name) => include(name))
  return withNumbers(locals + whole, words)
}

/** @typedef {{ parameters: readonly string[], body: readonly string[], result: string | undefined }} Body */

/** @param {string} text @returns {Map<string, Body>} */
function functionsOf(text) {
  const found = text.matchAll(/^function \w+\.(\w+)\((.*)\)\n([\s\S]*?)\nend$/gm)
  return new Map(
    [...found].map(([, name = '', parameters = '', body = '']) => {
      const lines = body.split('\n')
      const result = /^ *return (.*)$/.exec(lines.at(-1) ?? '')?.[1]
      const rest = result === undefined ? lines : lines.slice(0, -1)
      return [name, { parameters: parameters.split(', '), body: rest, result }]
    }),
  )
}

const CALL = /^( *)(?:(local )?(\w+) = )?step\.(\w+)\((.*)\)$/

/** @param {string} line @param {Map<string, Body>} functions @returns {readonly string[]} */
function expand(line, functions) {
  const [, indent = '', local, target, name = '', given = ''] = CALL.exec(line) ?? []
  const called = functions.get(name)
  if (called === undefined) {
    if (line.includes('step.')) throw new Error(`A call of a step stands alone on a line: ${line}`)
    return [line]
  }
  const { parameters, body, result } = called
  if (body.some((one) => /\breturn\b/.test(one)))
    throw new Error(`${name} has a return that is not its last line`)
  if (body.some((one) => new RegExp(`\\blocal\\b.*\\b${target}\\b`).test(one)))
    throw new Error(`${name} has a ${target} of its own`)
  const values = given.split(', ').map((value, i) => [parameters[i], value])
  const renamed = values.filter(([parameter, value]) => parameter !== value)
  const inner = [
    ...renamed.map(([parameter, value]) => `  local ${parameter} = ${value}`),
    ...body,
    ...(target === undefined ? [] : [`  ${target} = ${result}`]),
  ]
  const declared = local === undefined ? [] : [`${indent}local ${target}`]
  return [...declared, `${indent}do`, ...inner.map((one) => indent + one), `${indent}end`]
}

/** @param {string} text */
function withoutTables(text) {
  return text.replaceAll(/\b(?:row|policy)\.(\w+)/g, '$1').replaceAll(/^ *local ([\w, ]+) = \1\n/gm, '')
}

/** @param {string} text @param {string} words */
function withNumbers(text, words) {
  const pairs = [...words.matchAll(/^local (.*) = (.*)$/gm)].flatMap(([, names = '', values = '']) => {
    const list = values.split(', ')
    return names.split(', ').map((name, i) => /** @type {const} */ ([name, list[i] ?? '']))
  })
  return pairs.reduce((so, [name, value]) => so.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), value), text)
}
