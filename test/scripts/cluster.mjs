// What an example that starts a Redis of its own needs before it runs: everything installed and built, and redis-server.
import { ensureBuilt, ensureRedis, ensureTree } from './setup.mjs'
import { main } from './workspace.mjs'

await main(() => {
  ensureTree()
  ensureBuilt()
  ensureRedis()
})
