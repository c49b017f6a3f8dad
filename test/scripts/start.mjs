// npm start: sets up what is missing, then runs the gateway with the arguments given.
import { spawn } from 'node:child_process'
import { ensureBuilt, ensureTree } from './setup.mjs'
import { inRoot, main } from './workspace.mjs'

/** @type {NodeJS.Signals[]} */
const stops = ['SIGINT', 'SIGTERM', 'SIGHUP']

await main(() => {
  ensureTree()
  ensureBuilt()
  const args = [inRoot('examples/gateway/dist/main.js'), ...process.argv.slice(2)]
  const gateway = spawn(process.execPath, args, { stdio: 'inherit' })
  for (const signal of stops) process.on(signal, () => gateway.kill(signal))
  gateway.on('exit', (code, signal) => {
    // To be stopped is how it is meant to end.
    process.exitCode = signal !== null && stops.includes(signal) ? 0 : (code ?? 1)
  })
})
