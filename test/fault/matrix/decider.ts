import {
  createLimiter,
  type Decision,
  fixedWindow,
  type Limiter,
  type RateLimitEvent,
  type Store,
} from '@rl/core'
import { redisStore } from '@rl/core/redis'
import { watchStalls } from '../../support/stalls.js'
import { connect } from './connect.js'
import type { Place, StandIn } from './fault.js'

/** Before the fault, while it is made, while it lasts, while it is taken away, and after its end. */
export type Phase = 'before' | 'breaking' | 'lasting' | 'ending' | 'after'

/** What was decided in a phase. */
export interface Tally {
  decisions: number
  /** By the store. */
  stored: number
  /** By the store, and allowed: what its counter must have. */
  allowed: number
  /** Failed when the deadline was over. */
  paid: number
  /** Were sent and came back as a failure: nobody knows whether they were run. */
  unanswered: number
  longestMs: number
  /** The same, without the time in which the event loop stood still meanwhile. */
  longestAwakeMs: number
  /** How often the client tried to connect. A refused attempt never reaches a proxy. */
  attempts: number
}

export type Tallies = Readonly<Record<Phase, Tally>>

const stalls = watchStalls()

/** In a day that begins with the first decision: nothing is refused, and no window ends. */
const LIMIT = 1_000_000

/** One limiter with a store and a client of its own, and a count of what it decides. */
export class Decider {
  readonly tallies: Tallies = {
    before: tally(),
    breaking: tally(),
    lasting: tally(),
    ending: tally(),
    after: tally(),
  }
  readonly lines: string[] = []
  started = 0
  settled = 0
  /** Decisions that say something else than what is true of them. */
  dishonest = 0
  /** Decisions of the store in a row. */
  storedInARow = 0
  /** When the store first decided again. */
  backAt: number | undefined
  readonly #place: Place
  readonly #standIn: StandIn
  readonly #client: ReturnType<typeof connect>
  readonly #store: Store
  readonly #limiter: Limiter
  #phase: Phase = 'before'
  #local = 0

  constructor(name: string, standIn: StandIn, place: Place) {
    this.#place = place
    this.#standIn = standIn
    this.#client = connect(place)
    this.#client.on('connecting', () => this.tallies[this.#phase].attempts++)
    const add = (line: string) => void this.lines.push(line)
    const logger = { warn: add, error: add }
    this.#store = redisStore({ client: this.#client, prefix: place.prefix, logger })
    this.#limiter = createLimiter({
      name,
      store: this.#store,
      limit: fixedWindow({ limit: LIMIT, window: '1d', align: 'first-hit' }),
      onStoreFailure: standIn,
      onEvent: (event) => this.#heard(event),
      logger,
    })
  }

  get isReady(): boolean {
    return this.#client.status === 'ready'
  }

  decide(phase: Phase): void {
    this.#phase = phase
    const counts = this.tallies[phase]
    counts.decisions++
    this.started++
    const startedAt = performance.now()
    const stalledBefore = stalls.total()
    const done = (decision: Decision): void => {
      this.settled++
      const ms = performance.now() - startedAt
      counts.longestMs = Math.max(counts.longestMs, ms)
      counts.longestAwakeMs = Math.max(counts.longestAwakeMs, ms - (stalls.total() - stalledBefore))
      this.#decided(decision, phase)
    }
    const decision = this.#limiter.consume(this.#place.key)
    if (decision instanceof Promise) void decision.then(done)
    else done(decision)
  }

  /** What the store has counted, as it says itself; undefined where it says nothing. */
  async used(): Promise<number | undefined> {
    const decision = await this.#limiter.peek(this.#place.key)
    return decision.counted && decision.source === 'store' ? decision.used : undefined
  }

  async close(): Promise<void> {
    await this.#limiter.close()
    await this.#store.close()
    this.#client.disconnect()
  }

  #decided(decision: Decision, phase: Phase): void {
    if (!this.#isHonest(decision)) this.dishonest++
    if (decision.source !== 'store') {
      this.storedInARow = 0
      return
    }
    const counts = this.tallies[phase]
    counts.stored++
    if (decision.allowed) counts.allowed++
    this.storedInARow++
    if (phase === 'after') this.backAt ??= performance.now()
  }

  #isHonest(decision: Decision): boolean {
    if (decision.source === 'store') return decision.counted && decision.limit === LIMIT && decision.used > 0
    if (decision.source !== this.#standIn) return false
    if (decision.counted) return decision.source === 'local' && decision.used === ++this.#local
    const { counted, allowed, source, reason, ...others } = decision
    return allowed === (source === 'open') && reason === 'store-failed' && Object.keys(others).length === 0
  }

  #heard(event: RateLimitEvent): void {
    if (event.type !== 'store-failure' || event.error.message.endsWith('so it was not asked')) return
    const counts = this.tallies[this.#phase]
    counts.unanswered++
    if (event.error.code === 'RL_DEADLINE') counts.paid++
  }
}

function tally(): Tally {
  return {
    decisions: 0,
    stored: 0,
    allowed: 0,
    paid: 0,
    unanswered: 0,
    longestMs: 0,
    longestAwakeMs: 0,
    attempts: 0,
  }
}
