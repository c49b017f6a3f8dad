// pnpm build
import { ensureBuilt, ensureTree } from './setup.mjs'
import { main } from './workspace.mjs'

await main(() => {
  ensureTree()
  ensureBuilt()
})
