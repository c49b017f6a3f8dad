import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { examine } from '../scripts/pack.mjs'
import { publicPackages, readJson } from '../scripts/workspace.mjs'
import { exportedNames } from './exported-names.js'
import { type Installed, installPacked } from './installed.js'

const names: string[] = publicPackages().map(({ manifest }) => manifest.name)
const entries: string[] = publicPackages().flatMap(({ manifest }) =>
  Object.keys(manifest.exports)
    .filter((path) => path !== './package.json')
    .map((path) => manifest.name + path.slice(1)),
)

describe('the packed packages, installed outside the workspace', () => {
  let installed: Installed
  beforeAll(async () => {
    installed = await installPacked()
  }, 300_000)
  afterAll(() => installed?.remove())

  const answers = [
    { status: 200, limited: true, retryAfter: false },
    { status: 200, limited: true, retryAfter: false },
    { status: 429, limited: true, retryAfter: true },
  ]
  const decided = {
    answers: Object.fromEntries(['express', 'koa', 'hono', 'fastify'].map((name) => [name, answers])),
    decisions: [
      { allowed: true, counted: true },
      { allowed: false, counted: true },
    ],
  }

  test.each(['esm-js', 'cjs-js'])('work for the %s consumer', async (consumer) => {
    expect(JSON.parse(await installed.run('node', 'drive.mjs', `${consumer}/app.js`))).toEqual(decided)
  })

  test.each(['esm-ts', 'cjs-ts'])('compile and work for the %s consumer', async (consumer) => {
    expect(await installed.compile(consumer)).toEqual([])
    expect(JSON.parse(await installed.run('node', 'drive.mjs', `${consumer}/out/app.js`))).toEqual(decided)
  })

  test.each(names)('%s is clean for publint and attw', (name) => {
    for (const { tarball } of installed.packages.filter((packed) => packed.name === name)) examine(tarball)
  })

  test('export the listed names', async () => {
    const list = entries.map((entry) => `${entry}\n${listed(entry, 'import').join('\n')}\n`).join('\n')
    await expect(list).toMatchFileSnapshot('./exported-names.txt')
  })

  test.each(entries)('%s exports the same from both module forms as its types say', async (entry) => {
    const types = listed(entry, 'import')
    const values = types.filter((name) => !name.startsWith('type '))
    expect(listed(entry, 'require')).toEqual(types)
    const print = 'console.log(JSON.stringify(Object.keys(all).sort()))'
    const imported = await installed.run(
      'node',
      '--input-type=module',
      '-e',
      `import * as all from '${entry}';${print}`,
    )
    const required = await installed.run('node', '-e', `const all = require('${entry}');${print}`)
    expect(JSON.parse(imported)).toEqual(values)
    expect(JSON.parse(required)).toEqual(values)
  })

  function listed(entry: string, form: 'import' | 'require'): string[] {
    const [scope, name, ...path] = entry.split('/')
    const root = join(installed.folder, 'node_modules', `${scope}/${name}`)
    const { exports } = readJson(join(root, 'package.json'))
    return exportedNames(join(root, exports[['.', ...path].join('/')][form].types))
  }
})
