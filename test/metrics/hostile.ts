import { connect } from 'node:net'
import type { Target } from '../support/http-client.js'

/** Requests that are on the wire at once. */
const CONNECTIONS = 8
const AT_ONCE = 100

/** What somebody may send who wants a series of his own in a scrape, or a line. */
const TEXTS = ['"} 1', '\\', 'a"b', '{x="1"}', '%0Arl_evil 1', '%22%7D%201%0A', "'", 'é']

/**
 * Sends that many requests of as many clients: each from another address, with another key, path, query and user agent.
 * Gives how many were answered, by status.
 */
export async function hostileClients(target: Target, count: number): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {}
  const share = Math.ceil(count / CONNECTIONS)
  const shares = Array.from({ length: CONNECTIONS }, (_, i) => [i * share, Math.min(count, (i + 1) * share)])
  const used = shares.filter(([from = 0, to = 0]) => from < to)
  await Promise.all(used.map(([from = 0, to = 0]) => sendAll(target, from, to, statuses)))
  return statuses
}

/** Over one connection, so many requests at once, then the next ones. */
function sendAll(target: Target, from: number, to: number, statuses: Record<string, number>): Promise<void> {
  const socket = connect(target as { host: string; port: number })
  socket.setEncoding('latin1')
  return new Promise((resolve, reject) => {
    let sent = from
    let answered = from
    let rest = ''
    const sendSome = () => {
      const last = Math.min(to, sent + AT_ONCE)
      const requests: string[] = []
      while (sent < last) requests.push(requestOf(sent++))
      socket.write(requests.join(''), 'latin1')
    }
    socket.on('error', reject)
    socket.on('end', () => reject(new Error(`the server ended after ${answered - from} answers`)))
    socket.on('data', (part: string) => {
      rest += part
      for (const [, status = ''] of rest.matchAll(STATUS)) {
        statuses[status] = (statuses[status] ?? 0) + 1
        answered++
      }
      // The beginning of a line that was cut; a whole one is longer.
      rest = rest.slice(rest.lastIndexOf('\n') + 1).replace(STATUS, '')
      if (answered < sent) return
      if (sent < to) sendSome()
      else resolve(void socket.destroy())
    })
    sendSome()
  })
}

const STATUS = /HTTP\/1\.1 (\d{3})/g

function requestOf(i: number): string {
  const text = TEXTS[i % TEXTS.length]
  return [
    `GET /users/${i}${encodeURI(text ?? '')}?q=${i} HTTP/1.1`,
    'Host: example.org',
    `X-Forwarded-For: ${10 + (i >>> 16)}.${(i >>> 8) & 255}.${i & 255}.7`,
    `X-User: ${i}${text}`,
    `User-Agent: ${text}${i}`,
    `RateLimit-Policy: "${i}"`,
    '',
    '',
  ].join('\r\n')
}
