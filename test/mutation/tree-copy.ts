import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Fault } from './fault.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** What the tests of the algorithms need. */
const COPIED = [
  'package.json',
  'packages/core/package.json',
  'packages/core/src',
  'test/equivalence',
  'test/laws',
  'test/package.json',
  'test/vitest.config.ts',
]

/**
 * A copy of the tree in a temporary folder, for faults to be put into. Packages are linked, but `@rl/core` is that of
 * the copy, and the folders of modules are its own: a test runner writes there.
 */
export class TreeCopy {
  readonly folder = mkdtempSync(join(tmpdir(), 'rl-mutation-'))

  constructor() {
    for (const path of COPIED) cpSync(join(ROOT, path), this.at(path), { recursive: true })
    linkModules(join(ROOT, 'node_modules'), this.at('node_modules'))
    linkModules(join(ROOT, 'packages/core/node_modules'), this.at('packages/core/node_modules'))
    link(this.at('packages/core'), this.at('test/node_modules/@rl/core'))
  }

  /** Puts a fault in; the result takes it out again. */
  break({ file, from, to }: Fault): () => void {
    const path = this.at(`packages/core/src/${file}`)
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, broken(text, { from, to }))
    return () => writeFileSync(path, text)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true })
  }

  private at(path: string): string {
    return join(this.folder, path)
  }
}

/** A source file of core as it stands in the working tree. */
export function sourceOf(file: string): string {
  return readFileSync(join(ROOT, 'packages/core/src', file), 'utf8')
}

/** @throws RangeError when the text to be changed is not there exactly once. */
export function broken(text: string, { from, to }: Pick<Fault, 'from' | 'to'>): string {
  const [before, after, ...more] = text.split(from)
  if (before === undefined || after === undefined || more.length > 0) {
    throw new RangeError(`stands there ${text.split(from).length - 1} times, not once: ${from}`)
  }
  return before + to + after
}

function linkModules(from: string, to: string): void {
  for (const name of readdirSync(from)) {
    if (!name.startsWith('.')) link(join(from, name), join(to, name))
  }
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}
