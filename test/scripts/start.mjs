// npm start: sets up what is missing, then runs the gateway with the arguments given.
import { spawn } from 'node:child_process'
import { ensureBuilt, ensureTree } from './setup.mjs'
import { inRoot, main } from './workspace.mjs'

await main(() => {
  ensureTree()
  ensureBuilt()
  const args = [inRoot('examples/gateway/dist/main.js'), ...process.argv.slice(2)]
  const gateway = spawn(process.execPath, args, { stdio: 'inherit' })
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => gateway.kill(signal))
  }
  gateway.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
})
