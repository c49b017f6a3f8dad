// Packages are built file by file with two plain tsc passes; examples with one.
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bin, filesBelow, inOrder, inRoot, publicPackages, run, workspaceFolders } from './workspace.mjs'

// Without the source condition a package is compiled against what its dependencies publish.
const emit = ['--noEmit', 'false', '--customConditions', 'null']
const esm = ['--module', 'nodenext']
const commonjs = ['--module', 'commonjs', '--moduleResolution', 'bundler', '--verbatimModuleSyntax', 'false']

export function compileAll() {
  for (const folder of packages()) {
    rmSync(inRoot(folder, 'dist'), { recursive: true, force: true })
    compile(folder, 'dist/esm', esm)
    compile(folder, 'dist/cjs', commonjs)
    // The package as a whole is a module; this part of it is not.
    writeFileSync(inRoot(folder, 'dist/cjs/package.json'), '{"type":"commonjs"}\n')
  }
  for (const folder of examples()) {
    rmSync(inRoot(folder, 'dist'), { recursive: true, force: true })
    compile(folder, 'dist', esm)
  }
}

/** The files that the result depends on. */
export function compileInputs() {
  const folders = [...packages(), ...examples()]
  return [
    inRoot('tsconfig.base.json'),
    inRoot('test/scripts/compile.mjs'),
    ...folders.flatMap((folder) => ['package.json', 'tsconfig.json'].map((name) => inRoot(folder, name))),
    ...folders
      .flatMap((folder) => filesBelow(join(folder, 'src')))
      .filter((file) => !file.endsWith('.test.ts')),
  ]
}

/** The folders that it makes. */
export const compileOutputs = () => [...packages(), ...examples()].map((folder) => inRoot(folder, 'dist'))

const packages = () => publicPackages().map(({ folder }) => folder)

const examples = () =>
  inOrder(
    workspaceFolders().filter(
      (folder) => folder.startsWith('examples') && existsSync(inRoot(folder, 'tsconfig.json')),
    ),
  ).map(({ folder }) => folder)

/** @param {string} folder @param {string} outDir @param {string[]} options */
function compile(folder, outDir, options) {
  const places = ['--rootDir', inRoot(folder, 'src'), '--outDir', inRoot(folder, outDir)]
  run(bin('tsc'), ['-p', inRoot(folder), ...emit, ...places, ...options])
}
