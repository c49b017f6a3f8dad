import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inRoot, readJson } from '../scripts/workspace.mjs'
import { type Installed, installPacked } from './installed.js'

/** Compilers, by where they lie. */
const COMPILERS: readonly (readonly [version: string, folder: string])[] = [
  ['5.6', inRoot('test/node_modules/typescript56')],
  ['5.9', inRoot('test/node_modules/typescript59')],
  ['6.0', inRoot('test/node_modules/typescript6')],
  ['7.0', inRoot('node_modules/typescript')],
]

interface Setting {
  readonly consumer: string
  readonly args: readonly string[]
  /** The compilers that know it. */
  readonly since?: string
  readonly until?: string
}

const SETTINGS: Readonly<Record<string, Setting>> = {
  'an ES module, nodenext': { consumer: 'esm-ts', args: [] },
  'an ES module, node16': { consumer: 'esm-ts', args: ['--module', 'node16'] },
  'an ES module for a bundler': {
    consumer: 'esm-ts',
    args: ['--module', 'esnext', '--moduleResolution', 'bundler'],
  },
  'CommonJS, node16': { consumer: 'cjs-ts', args: ['--module', 'node16', '--moduleResolution', 'node16'] },
  'CommonJS, node16, without esModuleInterop': {
    consumer: 'cjs-ts',
    args: ['--module', 'node16', '--moduleResolution', 'node16', '--esModuleInterop', 'false'],
    until: '5.9',
  },
  'CommonJS for a bundler': { consumer: 'cjs-ts', args: [], since: '6.0' },
  'CommonJS as before exports were known': {
    consumer: 'cjs-ts',
    args: ['--moduleResolution', 'node10'],
    until: '5.9',
  },
}

const cases = COMPILERS.flatMap(([version, folder]) =>
  Object.entries(SETTINGS)
    .filter(([, { since = '0', until = '9' }]) => version >= since && version <= until)
    .map(([name, setting]) => [version, name, folder, setting] as const),
)

describe('B86: the packed packages compile without a diagnostic in our own files', () => {
  let installed: Installed
  beforeAll(async () => {
    installed = await installPacked()
  }, 300_000)
  afterAll(() => installed?.remove())

  test.each(COMPILERS)('TypeScript %s is that', (version, folder) => {
    expect(readJson(`${folder}/package.json`).version).toMatch(new RegExp(`^${version}\\.`))
  })

  test.each(cases)('TypeScript %s: %s', async (_version, _name, folder, { consumer, args }) => {
    const tsc = `${folder}/bin/tsc`
    expect(await installed.compile(consumer, { tsc, args: ['--noEmit', ...args] })).toEqual([])
  })

  test('and what does not compile is seen', async () => {
    const wrong = "import { rateLimit } from '@rl/koa'\nrateLimit({ limit: 5 })\n"
    await writeFile(join(installed.folder, 'esm-ts/wrong.ts'), wrong)
    const diagnostics = await installed.compile('esm-ts', { args: ['--noEmit'] })
    expect(diagnostics).toEqual([expect.stringMatching(/^esm-ts\/wrong\.ts\(2,13\): error TS2322: /)])
  })
})
