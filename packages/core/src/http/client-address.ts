import { configError } from '../model/errors.js'
import { type Logger, toLogger } from '../model/logger.js'
import { checkOptions } from '../model/suggest.js'
import { forwardedNodes, listNodes, parseNode, trimmed } from './forwarded.js'
import { checkPrefix, type IpAddress, ipText, keyOf } from './ip-address.js'
import { NO_ADDRESS, once, peerAlone, rememberedPeer, tellingHeader } from './peer-address.js'
import type { RequestView } from './request-view.js'
import { type Trust, type Trusts, toTrust } from './trust.js'

export interface ClientAddressOptions {
  /** The proxies whose header is believed. Without it none is; `[]` says that there are no proxies. */
  readonly trust?: Trust | undefined
  /**
   * The one header that those proxies write: `x-forwarded-for`, `forwarded`, or one that holds a single address, such
   * as `cf-connecting-ip`.
   * @default 'x-forwarded-for'
   */
  readonly header?: string | undefined
  /** Bits of an IPv6 address that count, 32 to 128. @default 56 */
  readonly ipv6Prefix?: number | undefined
  /** @default console */
  readonly logger?: Logger | undefined
}

/**
 * The client's address as key text (see `ipKey`): the peer, or with `trust` the right-most address of the header that
 * is no trusted proxy. What stands further left was written by the client. An entry that is no address ends the
 * search, and the request is counted under the last trusted hop before it; so is one whose hops are all trusted, under
 * the left-most. Such an address is therefore no proof of a caller from inside: exempt nobody for it.
 * @throws RateLimitError `RL_CONFIG` at construction; nothing that comes over the wire makes the resolver throw.
 */
export function clientAddress(options: ClientAddressOptions = {}): ClientAddress {
  checkOptions('byIp', options, ['trust', 'header', 'ipv6Prefix', 'logger'])
  const { trust, header, ipv6Prefix = 56 } = options
  const prefix = checkPrefix(ipv6Prefix)
  const logger = toLogger(options.logger)
  if (trust === undefined && header !== undefined) {
    throw configError('header', header, 'needs trust, which says from which proxies the header is believed')
  }
  const find = trust === undefined ? peerAlone(logger) : behindProxies(toTrust(trust, logger), header, logger)
  const parsePeer = rememberedPeer(logger)
  const clientOf = (view: RequestView): Client | undefined => {
    const peer = parsePeer(view.peer)
    return peer && find(view, peer)
  }
  let [last, lastKey]: [Client | undefined, string] = [undefined, NO_ADDRESS]
  function clientAddress(view: RequestView): string {
    const client = clientOf(view)
    if (client !== last) {
      last = client
      lastKey = client === undefined ? NO_ADDRESS : keyOf(client, prefix)
    }
    return lastKey
  }
  const isProven = (view: RequestView, client: Client) =>
    client.isHop === undefined && (trust !== undefined || tellingHeader(view) === undefined)
  return Object.assign(clientAddress, { clientOf, isProven })
}

/** A resolver, by which lists of addresses go too. */
export interface ClientAddress {
  /** The key. */
  (view: RequestView): string
  /** The address; `undefined` for a connection without one. */
  clientOf(view: RequestView): Client | undefined
  /**
   * False for an address that is, or may be, that of a proxy in front of the caller: of one that names nobody, or whose
   * header came although there is no `trust`.
   */
  isProven(view: RequestView, client: Client): boolean
}

/** `isHop`: one of the trusted proxies, as nobody behind it could be told. */
export interface Client extends IpAddress {
  readonly isHop?: true
}

type Find = (view: RequestView, peer: IpAddress) => Client

function behindProxies(trusts: Trusts, option: unknown, logger: Logger): Find {
  const header = checkHeader(option)
  const nodesOf = readerOf(header)
  const [warnOfMissing, warnOfUnreadable] = [once(logger), once(logger)]
  return (view, peer) => {
    if (!trusts(peer, 0)) return peer
    const text = view.header(header)
    const client = text === undefined ? undefined : walk(nodesOf(text), trusts)
    if (client !== undefined) return client
    if (text === undefined) warnOfMissing(() => namesNobody(peer, `no ${header}`))
    else warnOfUnreadable(() => namesNobody(peer, `a header ${header} whose last entry is no address`))
    return { ...peer, isHop: true }
  }
}

function readerOf(header: string): (text: string) => Iterable<string> {
  if (header === 'x-forwarded-for') return listNodes
  if (header === 'forwarded') return forwardedNodes
  return (text) => [trimmed(text, 0, text.length)]
}

function walk(nodes: Iterable<string>, trusts: Trusts): Client | undefined {
  let last: IpAddress | undefined
  let hop = 1
  for (const node of nodes) {
    const address = parseNode(node)
    if (address === undefined) break
    if (!trusts(address, hop++)) return address
    last = address
  }
  return last && { ...last, isHop: true }
}

function checkHeader(header: unknown = 'x-forwarded-for'): string {
  if (typeof header === 'string' && /^[\w-]{1,64}$/.test(header)) return header.toLowerCase()
  throw configError('header', header, 'takes the name of the one header that your proxies write')
}

// Nothing that came over the wire stands in a warning, save an address in its canonical spelling.

function namesNobody(peer: IpAddress, sent: string): string {
  return (
    `byIp: the trusted proxy ${ipText(peer)} sent ${sent}. Requests of that kind share one limit, that of the proxy. ` +
    'For its own health checks that is right; else let it write the header, or set header to the one it writes.'
  )
}
