import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import type { LoadFlags } from './flags.js'
import { Latencies } from './latencies.js'

/** What is not answered by then counts as failed. */
const TIMEOUT_MS = 10_000
/** More requests under way than these wait for a connection, which their latency shows. */
const CONNECTIONS = 256

export interface Measured {
  readonly sent: number
  /** How many were answered with each status. */
  readonly statuses: ReadonlyMap<number, number>
  /** How many were not answered, by the code of the error. */
  readonly errors: ReadonlyMap<string, number>
  /** From when a request was to be sent to when its answer was complete. */
  readonly latencies: Latencies
  /** From the first request to the last answer. */
  readonly elapsedMs: number
}

export interface Load {
  /** How many were sent up to now. */
  readonly sent: number
  readonly done: Promise<Measured>
  /** Sends no more. */
  stop(): void
}

/**
 * Sends at the rate that is asked for, and waits for no answer to do so. Latency is from the moment at which a request was to
 * be sent: when the server stalls, or this program, all that should have been sent meanwhile shows it.
 */
export function startLoad(flags: LoadFlags): Load {
  const load = new OpenLoop(flags)
  return {
    get sent() {
      return load.sent
    },
    done: load.run(),
    stop: () => load.stop(),
  }
}

class OpenLoop {
  sent = 0
  readonly #flags: LoadFlags
  readonly #headers: Record<string, string>
  readonly #agent = new Agent({
    connections: CONNECTIONS,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  })
  readonly #statuses = new Map<number, number>()
  readonly #errors = new Map<string, number>()
  readonly #latencies = new Latencies()
  readonly #open = new Set<Promise<void>>()
  #isStopped = false

  constructor(flags: LoadFlags) {
    this.#flags = flags
    this.#headers = flags.apiKey === undefined ? {} : { 'x-api-key': flags.apiKey }
  }

  stop(): void {
    this.#isStopped = true
  }

  async run(): Promise<Measured> {
    const { rps, durationMs } = this.#flags
    const everyMs = 1000 / rps
    const total = Math.max(1, Math.floor(durationMs / everyMs))
    const start = performance.now()
    while (this.sent < total && !this.#isStopped) {
      const due = Math.min(total, Math.floor((performance.now() - start) / everyMs) + 1)
      while (this.sent < due) this.#send(start + this.sent++ * everyMs)
      await sleep(Math.max(1, start + this.sent * everyMs - performance.now()))
    }
    await Promise.all(this.#open)
    const elapsedMs = performance.now() - start
    await this.#agent.destroy()
    const { sent } = this
    return { sent, statuses: this.#statuses, errors: this.#errors, latencies: this.#latencies, elapsedMs }
  }

  #send(intended: number): void {
    const one = this.#ask().then(
      (status) => {
        count(this.#statuses, status)
        this.#latencies.record(performance.now() - intended)
      },
      (error: NodeJS.ErrnoException) => count(this.#errors, error.code ?? error.name),
    )
    const tracked = one.finally(() => this.#open.delete(tracked))
    this.#open.add(tracked)
  }

  async #ask(): Promise<number> {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const { statusCode, body } = await request(this.#flags.url, {
      dispatcher: this.#agent,
      headers: this.#headers,
      signal,
    })
    await body.dump()
    return statusCode
  }
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
