// Makes the tarballs that a release would publish, and has them examined.
import { join } from 'node:path'
import { ensureBuilt } from './setup.mjs'
import { inRoot, pnpm, publicPackages, run } from './workspace.mjs'

/** Packs the public packages; gives the tarballs, in order of dependence. @param {string} destination */
export function pack(destination) {
  ensureBuilt()
  const packages = publicPackages()
  const filters = packages.flatMap(({ manifest }) => ['--filter', manifest.name])
  pnpm([...filters, 'pack', '--pack-destination', destination], { quiet: true })
  return packages.map(({ manifest }) => ({
    name: manifest.name,
    tarball: join(destination, `${manifest.name.slice(1).replace('/', '-')}-${manifest.version}.tgz`),
  }))
}

/** Throws where a tarball resolves wrongly for some reader. @param {string} tarball */
export function examine(tarball) {
  run(tool('publint'), ['run', tarball, '--strict'], { quiet: true })
  run(tool('attw'), [tarball, '--profile', 'node16'], { quiet: true })
}

/** @param {string} name */
const tool = (name) => inRoot('test/node_modules/.bin', name)
