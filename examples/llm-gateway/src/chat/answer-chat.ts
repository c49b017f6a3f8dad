import type { Profile } from '../config.js'
import { ApiError } from '../http/api-error.js'
import type { Limits } from '../limits/limits.js'
import { rateFields } from '../limits/rate-fields.js'
import { refusal } from '../limits/refusal.js'
import type { Reservation } from '../limits/reservation.js'
import { ask, askWhole, type Head, textOf, type Whole } from '../upstream/ask.js'
import { type Tried, tryEach } from '../upstream/try-each.js'
import { UpstreamFailed } from '../upstream/upstream-failed.js'
import type { Upstreams } from '../upstream/upstreams.js'
import type { User } from '../users/user.js'
import type { Log } from './chat-log.js'
import type { ChatRequest } from './chat-request.js'
import { relayStream } from './relay-stream.js'
import { StreamMeter } from './stream-meter.js'
import { usageOf } from './usage.js'

/** What answers need, for all requests. */
export interface ChatParts {
  readonly limits: Limits
  readonly upstreams: Upstreams
  readonly timeoutMs: number
  readonly log: Log
}

/** One request, by whom, and how it is limited. */
export interface ChatCall {
  readonly request: ChatRequest
  readonly user: User
  readonly profile: Profile | undefined
  /** The client's leaving. */
  readonly signal: AbortSignal
}

/** Reserves, asks a model server, settles. @throws ApiError */
export async function answerChat(parts: ChatParts, call: ChatCall): Promise<Response> {
  const { request, user, profile } = call
  const { model, reservedTokens: tokens } = request
  const requestsPerSecond = profile?.requestsPerSecond
  const reservation = await parts.limits.reserve({ user, model, tokens, requestsPerSecond })
  if (!reservation.decision.allowed) {
    // Nothing was charged; this only ends it.
    await reservation.giveBack()
    new Exchange(parts, call, reservation).log('refused', 0)
    throw refusal(reservation.decision, { model, tokens })
  }
  return new Exchange(parts, call, reservation).answer()
}

/** What happens with one reservation. */
class Exchange {
  readonly #parts: ChatParts
  readonly #call: ChatCall
  readonly #reservation: Reservation
  readonly #leaving = new AbortController()

  constructor(parts: ChatParts, call: ChatCall, reservation: Reservation) {
    this.#parts = parts
    this.#call = call
    this.#reservation = reservation
  }

  async answer(): Promise<Response> {
    const leave = () => this.#leaving.abort()
    const { signal, request } = this.#call
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave)
    try {
      return request.stream ? await this.#streamed() : await this.#whole()
    } catch (error) {
      throw await this.#failed(error)
    }
  }

  log(end: string, tokens: number, upstream?: string): void {
    const { user, request } = this.#call
    const { chargedAt } = this.#reservation
    const { model, reservedTokens: reserved } = request
    this.#parts.log({ user: user.id, model, end, reserved, tokens, upstream, chargedAt })
  }

  async #whole(): Promise<Response> {
    const { value, upstream, release } = await this.#route(askWhole)
    release()
    const { promptTokens } = this.#call.request
    // A refusal of the model server costs nothing but the request.
    const tokens = value.status < 400 ? (usageIn(value) ?? promptTokens) : 0
    await this.#reservation.settle(tokens)
    this.log('complete', tokens, upstream.url)
    return this.#response(value.text, value.status, 'application/json')
  }

  async #streamed(): Promise<Response> {
    const tried = await this.#route(ask)
    const { value: head, upstream, release } = tried
    if (head.status >= 400) return this.#refusedByModel(tried)
    const { promptTokens, wantsUsage } = this.#call.request
    const meter = new StreamMeter({ promptTokens, hidesUsage: !wantsUsage })
    const body = relayStream({
      body: head.body,
      meter,
      leaving: this.#leaving,
      onEnd: async (end) => {
        release()
        await this.#reservation.settle(meter.tokens)
        this.log(end, meter.tokens, upstream.url)
      },
    })
    return this.#response(body, head.status, 'text/event-stream; charset=utf-8')
  }

  async #refusedByModel({ value: head, upstream, release }: Tried<Head>): Promise<Response> {
    try {
      const text = await textOf(head)
      await this.#reservation.settle(0)
      this.log('complete', 0, upstream.url)
      return this.#response(text, head.status, 'application/json')
    } finally {
      release()
    }
  }

  #route<T>(how: (question: Parameters<typeof ask>[0]) => Promise<T>): Promise<Tried<T>> {
    const { upstreams, timeoutMs } = this.#parts
    const { body } = this.#call.request
    const { signal } = this.#leaving
    return tryEach(upstreams, ({ url }) => how({ url, body, timeoutMs, signal }))
  }

  /** No answer. The client left: the model has read the question. Else: all is given back, before the client hears of it. */
  async #failed(error: unknown): Promise<unknown> {
    if (this.#leaving.signal.aborted) {
      const { promptTokens } = this.#call.request
      await this.#reservation.settle(promptTokens)
      this.log('aborted', promptTokens)
      return error
    }
    await this.#reservation.giveBack()
    this.log('failed', 0)
    if (!(error instanceof UpstreamFailed)) return error
    const { isTimeout, message } = error
    const code = isTimeout ? 'upstream_timeout' : 'upstream_failed'
    return new ApiError(isTimeout ? 504 : 502, `No model server could answer: ${message}.`, {
      type: 'server_error',
      code,
    })
  }

  #response(body: string | ReadableStream<Uint8Array>, status: number, type: string): Response {
    const profile = this.#call.profile?.name
    const headers = new Headers([
      ['content-type', type],
      ['cache-control', 'no-store'],
      ...fieldsOf(this.#reservation),
    ])
    if (profile !== undefined) headers.set('x-config-profile', encodeURIComponent(profile))
    return new Response(body, { status, headers })
  }
}

function fieldsOf({ decision }: Reservation): [string, string][] {
  return rateFields(decision).map(([name, value]) => [name, value])
}

function usageIn({ text }: Whole): number | undefined {
  try {
    return usageOf(JSON.parse(text))
  } catch {
    return undefined
  }
}
