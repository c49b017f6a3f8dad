import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { byIp } from '@rl/express'

/** Whether a peer is one of the proxies whose word counts. */
export type IsProxy = (peer: string | undefined) => boolean

/** The test of those that `--trusted-proxies` names: a proxy's word for an address is taken, and nobody else's. */
export function proxiesOf(trust: readonly string[] | undefined): IsProxy {
  if (trust === undefined) return () => false
  const probe = '192.0.2.1'
  const address = byIp({ trust })
  return (peer) => {
    const view = { method: 'GET', peer, route: undefined, header: () => probe, carrier: {} }
    return address(undefined, view) === probe
  }
}

/** Between two neighbours only (RFC 9110, 7.6.1), with those that a message names itself. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

export function dropHopByHop(headers: IncomingHttpHeaders): void {
  const named = headers.connection?.split(',').map((name) => name.trim().toLowerCase()) ?? []
  for (const name of [...HOP_BY_HOP, ...named]) delete headers[name]
}

/** The fields that tell of limits are the gateway's: an upstream's would stand for another limit. */
export function isOurs(name: string): boolean {
  return /^(x-)?ratelimit(-|$)/.test(name)
}

/**
 * Makes the headers of a request those that the upstream gets. It reads in them who asked and how, in X-Forwarded-*: what
 * came in is kept only from a trusted proxy, or a client could choose it.
 */
export function toForwarded(req: IncomingMessage, isProxy: IsProxy): void {
  const { headers, socket } = req
  const { host = '' } = headers
  const isChunked = req.rawHeaders.some(
    (text, i) => i % 2 === 0 && text.toLowerCase() === 'transfer-encoding',
  )
  dropHopByHop(headers)
  // Node has answered it already.
  delete headers.expect
  if (isChunked) {
    // Without it a body would go out raw behind a request that declares none, and be read as the next request.
    headers['transfer-encoding'] = 'chunked'
    delete headers['content-length']
  }
  if (!isProxy(socket.remoteAddress)) {
    for (const name of Object.keys(headers)) {
      if (name === 'forwarded' || name === 'x-real-ip' || name.startsWith('x-forwarded-'))
        delete headers[name]
    }
  }
  const before = headers['x-forwarded-for']
  const peer = (socket.remoteAddress ?? 'unknown').replace(/^::ffff:(?=\d+\.)/, '')
  headers['x-forwarded-for'] = before === undefined ? peer : `${before}, ${peer}`
  headers['x-forwarded-proto'] ??= 'http'
  headers['x-forwarded-host'] ??= host
}
