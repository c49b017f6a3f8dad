// pnpm bench: measures what is built, with the arguments given.
import { ensureBuilt, ensureTree } from './setup.mjs'
import { inRoot, main, run } from './workspace.mjs'

await main(() => {
  ensureTree()
  ensureBuilt()
  run(process.execPath, [inRoot('test/bench/main.mjs'), ...process.argv.slice(2)])
})
