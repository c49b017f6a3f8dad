import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http'
import { connect, type NetConnectOpts, type Socket } from 'node:net'

/** Where a server listens. */
export type Target = { readonly host: string; readonly port: number } | { readonly socketPath: string }

export interface Answer {
  readonly status: number
  /** By lower-case name; the lines of a repeated field joined by a comma. */
  readonly fields: Readonly<Record<string, string>>
  readonly body: string
}

export interface RequestOptions {
  readonly method?: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string
  /** The address to connect from. */
  readonly from?: string
}

/** One request over a connection of its own. Rejects when the connection ends before the answer is complete. */
export function send(target: Target, path: string, options: RequestOptions = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body, from } = options
  return new Promise((resolve, reject) => {
    const local = from === undefined ? {} : { localAddress: from }
    const request = httpRequest({ ...target, ...local, path, method, headers, agent: false })
    request.on('error', reject)
    request.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
      })
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, fields: joined(response.headersDistinct), body: text }),
      )
    })
    request.end(body)
  })
}

/** A connection on which a request is under way: the caller reads the answer, or leaves. */
export function open(target: Target, bytes: string): Socket {
  const socket = connect(target as NetConnectOpts)
  socket.setEncoding('latin1')
  socket.write(Buffer.from(bytes, 'latin1'))
  return socket
}

/** Sends bytes as they are, and gives all that came back until the server closed the connection. */
export function sendRaw(target: Target, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = open(target, bytes)
    let text = ''
    socket.on('error', reject)
    socket.on('data', (part: string) => {
      text += part
    })
    socket.on('close', () => resolve(text))
  })
}

/** A GET whose header lines stand in the text as they are to be sent. */
export function rawGet(path: string, ...lines: readonly string[]): string {
  return [`GET ${path} HTTP/1.1`, 'Host: example.org', 'Connection: close', ...lines, '', ''].join('\r\n')
}

function joined(fields: NodeJS.Dict<string[]>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, lines = []]) => [name, lines.join(', ')]))
}
