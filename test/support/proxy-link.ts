import { connect, type Socket } from 'node:net'
import { createLane } from './proxy-lane.js'

/** Text (in any case) or pattern that the bytes of a request must contain to be meant. */
export type RequestMatch = string | RegExp

/** A one-shot cut, armed until a request meets it. */
export interface Cut {
  readonly when: 'before' | 'after'
  readonly match: RequestMatch
  readonly done: () => void
}

/** What all links of a proxy obey at this moment. */
export interface ProxyRules {
  mode: 'pass' | 'stall' | 'stall-replies' | 'garbage'
  garbage: Buffer
  delayMs: number
  rewrite: (reply: Buffer) => Buffer
  cut: Cut | undefined
}

/** What went through a proxy since it started. */
export interface ProxyCounters {
  /** Connections accepted. */
  connections: number
  /** Connections open now. */
  open: number
  /** Bytes that clients sent, forwarded or not. */
  requestBytes: number
  /** Bytes that were given to clients. */
  replyBytes: number
  /** Calls of scripts that clients sent, forwarded or not; a call is taken to come in one piece. */
  scriptCalls: number
}

/** What a link shares with the other links of its proxy. */
export interface LinkContext {
  readonly targetPort: number
  readonly rules: ProxyRules
  readonly counters: ProxyCounters
}

/** One client connection and its twin to the server. */
export interface ProxyLink {
  /** Moves on what the rules allow now; to be called when they change. */
  pump(): void
  /** Destroys both sides. */
  destroy(): void
  /** Destroys the server's side; the client is told nothing. */
  loseServer(): void
}

/** Ties an accepted client socket to a new connection to the target, under rules that may change. */
export function linkSockets(client: Socket, { targetPort, rules, counters }: LinkContext): ProxyLink {
  const server = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
  let cutOnReply: Cut | undefined

  const giveToClient = (bytes: Buffer): void => {
    counters.replyBytes += bytes.length
    client.write(bytes)
  }
  const takeCut = (bytes: Buffer): Cut | undefined => {
    const { cut } = rules
    if (cut === undefined || rules.mode === 'garbage' || !matches(bytes, cut.match)) return undefined
    rules.cut = undefined
    return cut
  }
  const giveToServer = (bytes: Buffer): void => {
    const cut = takeCut(bytes)
    if (rules.mode === 'garbage') giveToClient(rules.garbage)
    else if (cut?.when === 'before') cutNow(cut)
    else {
      cutOnReply = cut ?? cutOnReply
      server.write(bytes)
    }
  }
  const requests = createLane(
    () => rules.mode !== 'stall',
    (parcel) => void (parcel === 'end' ? server.end() : giveToServer(parcel)),
  )
  const replies = createLane(
    () => rules.mode === 'pass' || rules.mode === 'garbage',
    (parcel) => void (parcel === 'end' ? client.end() : giveToClient(rules.rewrite(parcel))),
  )
  const destroy = (): void => {
    requests.clear()
    replies.clear()
    client.destroy()
    server.destroy()
  }
  const cutNow = (cut: Cut): void => {
    destroy()
    cut.done()
  }
  const onReply = (bytes: Buffer): void => {
    // The first byte of the reply proves that the server has run the request.
    if (cutOnReply !== undefined) cutNow(cutOnReply)
    else replies.push(bytes, rules.delayMs)
  }
  const onRequest = (bytes: Buffer): void => {
    counters.requestBytes += bytes.length
    counters.scriptCalls += bytes.toString('latin1').match(SCRIPT_CALL)?.length ?? 0
    requests.push(bytes, 0)
  }

  client.on('data', onRequest).on('error', destroy).on('close', destroy)
  client.on('end', () => requests.push('end', 0))
  // Neither a reset nor a refused connection may show through a stalled wire: they queue like an end.
  server.on('data', onReply).on('error', () => replies.push('end', 0))
  server.on('end', () => replies.push('end', rules.delayMs))

  return {
    destroy,
    pump() {
      requests.pump()
      replies.pump()
    },
    loseServer() {
      server.destroy()
      replies.clear()
    },
  }
}

const SCRIPT_CALL = /\*\d+\r\n\$\d+\r\n(evalsha|eval)\r\n/gi

function matches(bytes: Buffer, match: RequestMatch): boolean {
  const text = bytes.toString('latin1')
  return typeof match === 'string' ? text.toLowerCase().includes(match.toLowerCase()) : match.test(text)
}
