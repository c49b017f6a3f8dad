// One application in a process of its own. Tells its port, and at each message the CPU that it has used.
import { makeApp } from './apps.mjs'

const [name = '', limit = ''] = process.argv.slice(2)
const app = await makeApp(name, Number(limit))
const server = app.listen(0, '127.0.0.1', () => {
  process.send?.(/** @type {import('node:net').AddressInfo} */ (server.address()).port)
})
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.(user + system)
})
