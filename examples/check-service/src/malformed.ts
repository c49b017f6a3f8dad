import type { Socket } from 'node:net'
import type { ConnectionError } from 'fastify'

const ANSWERS: Readonly<Record<string, readonly [string, string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'URL and header fields have 16 kB together.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'A request has to be complete within ten seconds.'],
}
const MALFORMED = [
  '400 Bad Request',
  'This is no HTTP request. In a URL all but plain ASCII is percent-encoded: é is %C3%A9, a space %20.',
] as const

/** Answers bytes that no request could be read from, and ends their connection. */
export function answerMalformed({ code = '' }: ConnectionError, socket: Socket): void {
  if (!socket.writable) return
  const [status, detail] = ANSWERS[code] ?? MALFORMED
  const body = JSON.stringify({
    type: 'about:blank',
    title: status.slice(4),
    status: Number.parseInt(status, 10),
    detail,
  })
  const fields = `Content-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close`
  socket.end(`HTTP/1.1 ${status}\r\n${fields}\r\n\r\n${body}`)
}
