// One application in a process of its own. Tells its port, and at each message the CPU that it has used.
import { once } from 'node:events'
import { frameworks } from './frameworks.mjs'

const [framework = '', name = '', limit = ''] = process.argv.slice(2)
const { limiters, serve } = /** @type {import('./frameworks.mjs').Framework} */ (frameworks[framework])
const server = await serve(await limiters[name]?.(Number(limit)))
// It waits while others have their turn.
server.keepAliveTimeout = 0
if (!server.listening) await once(server, 'listening')
process.once('disconnect', () => process.exit())
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.(user + system)
})
process.send?.(/** @type {import('node:net').AddressInfo} */ (server.address()).port)
