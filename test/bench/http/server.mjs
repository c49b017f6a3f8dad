// One application in a process of its own. Tells its port, and at each message the CPU that it has used.
import { once } from 'node:events'
import { frameworks } from './frameworks.mjs'

await optimizeNextTick()
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

/**
 * Node makes an object with computed keys at each tick. A major collection before V8 has optimized that loses what it
 * had learned of it, and then a request takes two microseconds more for as long as the process lives. Whether one comes so
 * early depends on how much a contender loads and not on what it does: so it is optimized first, for all of them.
 *
 * @returns {Promise<void>}
 */
function optimizeNextTick() {
  let left = 60_000
  return new Promise((resolve) => {
    const tick = () => (left-- > 0 ? process.nextTick(tick) : resolve())
    tick()
  })
}
