// Load in a process of its own. A message of a number sends so many requests over keep-alive sockets, one at a time on
// each, and is answered with the seconds that they took.
import { connect } from 'node:net'

const [port = '', status = ''] = process.argv.slice(2)
const SOCKETS = 16
const REQUEST = 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n'

const clients = await Promise.all(Array.from({ length: SOCKETS }, openClient))
process.on('message', async (count) => {
  let left = Number(count)
  const start = performance.now()
  await Promise.all(
    clients.map(async (request) => {
      while (left-- > 0) await request()
    }),
  )
  process.send?.((performance.now() - start) / 1000)
})
process.send?.('ready')

/** @returns {Promise<() => Promise<void>>} */
function openClient() {
  return new Promise((resolve, reject) => {
    let text = ''
    let answered = () => {}
    const socket = connect(Number(port), '127.0.0.1', () => resolve(request))
    socket.setNoDelay(true)
    socket.setEncoding('latin1')
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      text += chunk
      if (!isWhole(text)) return
      if (!text.startsWith(`HTTP/1.1 ${status} `)) throw new Error(`no ${status}:\n${text}`)
      text = ''
      answered()
    })

    /** @returns {Promise<void>} */
    function request() {
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
