import type { Logger } from '../model/logger.js'
import { type IpAddress, parseIp } from './ip-address.js'
import type { RequestView } from './request-view.js'

/** The key that all requests share whose connection has no address, as on a unix socket. */
export const NO_ADDRESS = 'no-address'

/** The last peer is remembered: mostly the next one is the same, a proxy or a client that keeps its connection. */
export function rememberedPeer(logger: Logger): (text: string | undefined) => IpAddress | undefined {
  const warnOfNone = once(logger)
  let [last, peer]: [string | undefined, IpAddress | undefined] = [undefined, undefined]
  return (text) => {
    if (text !== last || peer === undefined) {
      last = text
      peer = parseIp(text)
      if (peer === undefined) warnOfNone(noAddress)
    }
    return peer
  }
}

/** Headers that say that a proxy stands in front, in the order in which they are likely. */
const TELLING = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'cf-connecting-ip']

/** How many requests are watched all, and of how many further ones one is: a proxy writes its header to each. */
const WATCHED = 128
const THEN_EVERY = 32

/** The peer is the client. Warns of the header of a proxy once: then everyone behind it is one client. */
export function peerAlone(logger: Logger): (view: RequestView, peer: IpAddress) => IpAddress {
  let requests = 0
  let watching = true
  return (view, peer) => {
    if (!watching) return peer
    requests++
    if (requests > WATCHED && requests % THEN_EVERY !== 0) return peer
    const seen = tellingHeader(view)
    if (seen !== undefined) {
      watching = false
      logger.warn(notTrusted(seen))
    }
    return peer
  }
}

/** The header by which a request says that a proxy stands in front. */
export function tellingHeader(view: RequestView): string | undefined {
  for (const name of TELLING) {
    const text = view.header(name)
    // On Workers the peer is what such a header says: then it tells of no proxy.
    if (text !== undefined && text !== view.peer) return name
  }
  return undefined
}

/** A warning given once. */
export function once(logger: Logger): (message: () => string) => void {
  let warned = false
  return (message) => {
    if (warned) return
    warned = true
    logger.warn(message())
  }
}

// Nothing that came over the wire stands in a warning, save an address in its canonical spelling.

function noAddress(): string {
  return (
    'byIp: a connection has no address: it is a unix socket, or was closed already. All requests of that kind share ' +
    `one limit, under the key "${NO_ADDRESS}". Listen on a TCP port, or give key: a function that knows the client.`
  )
}

function notTrusted(header: string): string {
  return (
    `byIp: a request came with ${header}, which is not believed because trust is not set. If that is your proxy, ` +
    'everyone behind it shares one limit until trust names its address, such as trust: ["10.0.0.0/8"]. ' +
    'If you have no proxy, trust: [] says so.'
  )
}
