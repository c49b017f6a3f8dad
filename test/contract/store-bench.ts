import {
  type Charge,
  type Costs,
  type Counted,
  createLimiter,
  fixedWindow,
  type Limit,
  type MaybePromise,
  type Mode,
  type Policy,
  type Receipt,
  type Store,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from '@rl/core'

/** A clock that stands still until it is moved. */
export interface TestClock {
  now(): number
  set(ms: number): void
  step(ms: number): void
}

/**
 * A store to be tested, empty and shared with nobody. It counts by the test's clock; one whose server has a clock of
 * its own moves that one there in `moved`, and keeps it still.
 */
export interface OpenStore {
  readonly store: Store
  /** Subjects of which anything is kept. */
  keys(): MaybePromise<number>
  /** Told when the clock was moved, before the next call. */
  moved?(ms: number): MaybePromise<void>
  close(): MaybePromise<void>
}

export type StoreFactory = (clock: TestClock) => MaybePromise<OpenStore>

/** A midnight, so that windows of any usual length begin here. Times in the tests are milliseconds from it. */
export const MIDNIGHT = 1_700_006_400_000

export function testClock(): TestClock {
  let time = MIDNIGHT
  return {
    now: () => time,
    set: (ms) => {
      time = ms
    },
    step: (ms) => {
      time += ms
    },
  }
}

/** What most calls leave out: key `a` of limiter `test`, cost 1, and the mode `ask`. */
export interface Call {
  readonly limit: readonly Policy[]
  readonly key?: string
  readonly limiter?: string
  readonly cost?: Costs
}

/** A store and its clock, one line a call. */
export class Bench {
  constructor(
    private readonly open: OpenStore,
    private readonly clock: TestClock,
  ) {}

  get store(): Store {
    return this.open.store
  }

  keys(): MaybePromise<number> {
    return this.open.keys()
  }

  async at(ms: number): Promise<this> {
    this.clock.set(MIDNIGHT + ms)
    await this.open.moved?.(this.clock.now())
    return this
  }

  ask(...calls: readonly Call[]): Promise<Counted> {
    return this.call('ask', calls)
  }

  /** One call after the other, of these costs. */
  async askEach(limit: readonly Policy[], costs: readonly Costs[]): Promise<readonly Counted[]> {
    const answers: Counted[] = []
    for (const cost of costs) answers.push(await this.ask({ limit, cost }))
    return answers
  }

  peek(...calls: readonly Call[]): Promise<Counted> {
    return this.call('peek', calls)
  }

  force(...calls: readonly Call[]): Promise<Counted> {
    return this.call('force', calls)
  }

  async settle({ receipt }: { readonly receipt: Receipt | null }, costs: Costs): Promise<void> {
    if (receipt === null) throw new Error('nothing was charged')
    await this.open.store.settle(receipt, costs)
  }

  async reset({ limiter = 'test', key = 'a', limit }: Call): Promise<void> {
    await this.open.store.reset({ limiter, key, policies: limit })
  }

  private async call(mode: Mode, calls: readonly Call[]): Promise<Counted> {
    const decision = await this.open.store.consume(calls.map(chargeOf), mode)
    if (!decision.counted) throw new Error('a store counts')
    return decision
  }
}

export type OpenBench = () => Promise<Bench>

/** The policies that a limiter makes of a limit: named. */
export function policiesOf(limit: Limit): readonly Policy[] {
  return createLimiter({ limit }).policies
}

/** Each algorithm, with a limit in a window of a second. */
export function everyKind(limit: number): readonly (readonly [name: string, limit: readonly Policy[]])[] {
  const options = { limit, window: '1s' }
  return [
    ['fixed window', policiesOf(fixedWindow(options))],
    ['fixed window from the first hit', policiesOf(fixedWindow({ ...options, align: 'first-hit' }))],
    ['sliding window', policiesOf(slidingWindow(options))],
    ['sliding log', policiesOf(slidingLog(options))],
    ['token bucket', policiesOf(tokenBucket({ capacity: limit, per: '1s' }))],
  ]
}

function chargeOf({ limiter = 'test', key = 'a', limit, cost = 1 }: Call): Charge {
  return { limiter, key, policies: limit, costs: cost }
}
