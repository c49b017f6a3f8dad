import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2'
import type { Answer, Target } from './http-client.js'

/** A connection over which requests go as streams. */
export interface Http2Client {
  send(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** A request under way: the caller reads the answer, or leaves. */
  open(path: string): ClientHttp2Stream
  close(): void
}

/** Connects without TLS, as two programs that know each other do (h2c). */
export function http2Client(target: Target): Http2Client {
  if ('socketPath' in target) throw new Error('HTTP/2 is tried over TCP')
  const session = connect(`http://${target.host}:${target.port}`)
  const open = (path: string, headers = {}) => session.request({ ':path': path, ...headers })
  return {
    send: (path, headers) => answerOf(open(path, headers), session),
    open,
    close: () => session.destroy(),
  }
}

function answerOf(stream: ClientHttp2Stream, session: ClientHttp2Session): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let status = 0
    let fields: Record<string, string> = {}
    let body = ''
    session.once('error', reject)
    stream.setEncoding('utf8')
    stream.on('response', ({ ':status': code = 0, ...headers }) => {
      status = code
      fields = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
    })
    stream.on('data', (part: string) => {
      body += part
    })
    stream.on('error', reject)
    stream.on('end', () => {
      session.removeListener('error', reject)
      resolve({ status, fields, body })
    })
  })
}
