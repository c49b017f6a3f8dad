// Load in a process of its own. A message `{ port, status, ms }` sends requests for so long over keep-alive sockets, one at a
// time on each, and is answered with how many, the seconds that they took and the CPU that this process used.
import { connect } from 'node:net'

const SOCKETS = 16
const REQUEST = 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n'

/** @typedef {{ port: number, status: string, ms: number }} Order */
/** @typedef {(status: string) => Promise<void>} Request */

/** @type {Map<number, Promise<Request[]>>} */
const clientsOf = new Map()

process.once('disconnect', () => process.exit())
process.on('message', async (/** @type {Order} */ { port, status, ms }) => {
  const clients = await (clientsOf.get(port) ?? openClients(port))
  let requests = 0
  const cpu = process.cpuUsage()
  const start = performance.now()
  await Promise.all(
    clients.map(async (request) => {
      while (performance.now() - start < ms) {
        await request(status)
        requests++
      }
    }),
  )
  const seconds = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(cpu)
  process.send?.({ requests, seconds, cpu: user + system })
})
process.send?.('ready')

/** @param {number} port */
function openClients(port) {
  const clients = Promise.all(Array.from({ length: SOCKETS }, () => openClient(port)))
  clientsOf.set(port, clients)
  return clients
}

/** @param {number} port @returns {Promise<Request>} */
function openClient(port) {
  return new Promise((resolve, reject) => {
    let text = ''
    let expected = ''
    let answered = () => {}
    const socket = connect(port, '127.0.0.1', () => resolve(request))
    socket.setNoDelay(true)
    socket.setEncoding('latin1')
    socket.on('error', reject)
    socket.on('close', () => {
      throw new Error('the server has closed a connection')
    })
    socket.on('data', (chunk) => {
      text += chunk
      if (!isWhole(text)) return
      if (!text.startsWith(expected)) throw new Error(`not ${expected}:\n${text}`)
      text = ''
      answered()
    })

    /** @param {string} status @returns {Promise<void>} */
    function request(status) {
      expected = `HTTP/1.1 ${status} `
      socket.write(REQUEST)
      return new Promise((resolve) => {
        answered = resolve
      })
    }
  })
}

/** @param {string} text */
function isWhole(text) {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = /content-length: (\d+)/i.exec(text)?.[1]
  if (length === undefined) throw new Error(`a response without a length:\n${text}`)
  return text.length >= end + 4 + Number(length)
}
