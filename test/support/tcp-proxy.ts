import { openDoor } from './proxy-door.js'
import {
  type Cut,
  linkSockets,
  type ProxyCounters,
  type ProxyLink,
  type ProxyRules,
  type RequestMatch,
} from './proxy-link.js'

/** Where a proxy leads. */
export interface ProxyOptions {
  /** Port of the server, on the loopback address. */
  readonly target: number
  /** The port to listen on. @default a free one */
  readonly port?: number
}

/**
 * A wire with faults between a client and a server. Faults hold for open and new connections, until another
 * is chosen; `stall`, `stallReplies` and `garbage` replace each other, `delay` and `rewrite` combine with
 * all.
 */
export interface TcpProxy {
  readonly port: number
  readonly url: string
  readonly counters: Readonly<ProxyCounters>
  /** A plain wire again: no fault, no delay, no rewriting, no armed cut; what was held flows on, in order. */
  pass(): void
  /** A black hole: connections are accepted and stay open, nothing passes in either direction. */
  stall(): void
  /** Requests reach the server, replies are held. */
  stallReplies(): void
  /** Every request chunk is answered with these bytes; the server sees none. */
  garbage(bytes: Buffer | string): void
  /** Replies come this much later, in order. 0 for none. */
  delay(ms: number): void
  /** Every reply chunk goes through this on its way to the client. A short reply is one chunk. */
  rewrite(change: (reply: Buffer) => Buffer): void
  /**
   * Arms one cut: the next request that matches is forwarded, and when the server has run it both sides are
   * destroyed before a byte of its reply is passed on. Exact when no earlier reply is outstanding on that
   * connection. Resolves when it has happened.
   */
  cutAfterRequest(match?: RequestMatch): Promise<void>
  /** Arms one cut: the next request that matches is not forwarded, and both sides are destroyed. */
  cutBeforeRequest(match?: RequestMatch): Promise<void>
  /** Destroys all open connections, on both sides. */
  dropAll(): void
  /** The server's side of all open connections goes away and their clients are not told. */
  halfOpen(): void
  /** Refuses new connections; open ones stay. */
  refuse(): void
  /** Accepts new connections again, on the same port. */
  listen(): Promise<void>
  stop(): void
}

/** Starts a proxy in front of a server; it needs not be up yet. It passes everything until told otherwise. */
export async function startProxy({ target, port }: ProxyOptions): Promise<TcpProxy> {
  const rules: ProxyRules = { ...plainRules }
  const counters: ProxyCounters = { connections: 0, open: 0, requestBytes: 0, replyBytes: 0, scriptCalls: 0 }
  const links = new Set<ProxyLink>()

  const door = await openDoor(port, (client) => {
    const link = linkSockets(client, { targetPort: target, rules, counters })
    links.add(link)
    counters.connections++
    counters.open++
    client.once('close', () => {
      links.delete(link)
      counters.open--
    })
  })
  const change = (changes: Partial<ProxyRules>): void => {
    Object.assign(rules, changes)
    for (const link of links) link.pump()
  }
  const arm = (when: Cut['when'], match: RequestMatch): Promise<void> =>
    new Promise((done) => change({ cut: { when, match, done } }))
  const dropAll = (): void => {
    for (const link of links) link.destroy()
  }
  return {
    ...door,
    url: `redis://127.0.0.1:${door.port}`,
    counters,
    pass: () => change(plainRules),
    stall: () => change({ mode: 'stall' }),
    stallReplies: () => change({ mode: 'stall-replies' }),
    garbage: (bytes) => change({ mode: 'garbage', garbage: Buffer.from(bytes) }),
    delay: (delayMs) => change({ delayMs }),
    rewrite: (rewrite) => change({ rewrite }),
    cutAfterRequest: (match = '') => arm('after', match),
    cutBeforeRequest: (match = '') => arm('before', match),
    dropAll,
    halfOpen() {
      for (const link of links) link.loseServer()
    },
    stop() {
      door.refuse()
      dropAll()
    },
  }
}

const plainRules: Readonly<ProxyRules> = {
  mode: 'pass',
  garbage: Buffer.alloc(0),
  delayMs: 0,
  rewrite: (reply) => reply,
  cut: undefined,
}
