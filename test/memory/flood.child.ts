// What a memory store holds after many keys, seen from a process that does nothing else. Run by `flood.ts`.
import {
  type Counted,
  createLimiter,
  type Limiter,
  type MemoryStore,
  memoryStore,
  slidingLog,
} from '@rl/core'

declare const gc: () => void

const KEYS: Readonly<Record<string, (i: number) => string>> = {
  address: (i) => `${10 + (i >>> 24)}.${(i >>> 16) & 255}.${(i >>> 8) & 255}.${i & 255}`,
  user: (i) => `user:${1_000_000_000 + i}`,
}

let warnings = 0
const warn = (): void => {
  warnings++
}

const scenarios: Readonly<Record<string, (...args: readonly string[]) => unknown>> = {
  /** So many keys, all of which are held. */
  held(keys = '', kind = '') {
    const before = bytesHeld()
    const { store, limiter } = limiterFor(Math.ceil(Number(keys) * 1.2), '100/1h')
    const longestStallMs = flood(limiter, KEYS[kind] as (i: number) => string, Number(keys))
    const bytes = bytesHeld() - before
    return { keys: store.size, bytesAKey: bytes / store.size, longestStallMs }
  },

  /** 1000 blocked clients, then a flood of so many new keys, each used once. */
  flood(keys = '') {
    const before = bytesHeld()
    const { store, limiter } = limiterFor(100_000, '2/1h')
    for (let i = 0; i < 1000; i++) ask(limiter, `blocked-${i}`, 2)
    const longestStallMs = flood(limiter, (i) => `user:${1_000_000_000 + i}`, Number(keys))
    return {
      keys: store.size,
      bytes: bytesHeld() - before,
      longestStallMs,
      stillBlocked: blocked(limiter),
      forgotten: store.forgotten,
    }
  },

  /** 1000 blocked clients, then a flood of so many keys that are used twice against a limit of 1. */
  usedUp(keys = '') {
    const before = bytesHeld()
    const { store, limiter } = limiterFor(100_000, '1/1h')
    for (let i = 0; i < 1000; i++) ask(limiter, `blocked-${i}`, 1)
    flood(limiter, (i) => `user:${1_000_000_000 + i}`, Number(keys), 2)
    return {
      keys: store.size,
      bytes: bytesHeld() - before,
      forgotten: store.forgotten,
      warnings,
      stillBlocked: blocked(limiter),
    }
  },

  /** So many keys that are each cut out of a text of 1 MB of its own: what a key keeps alive, refunded or not. */
  slices(keys = '') {
    const { store, limiter } = limiterFor(1000, '2/1h')
    const before = bytesHeld()
    for (let i = 0; i < Number(keys); i++) {
      const decision = limiter.consume(bodyOf(i).slice(10, 50)) as Counted
      if (i % 2 === 0) void limiter.refund(decision)
    }
    return { keys: store.size, bytesAKey: (bytesHeld() - before) / Number(keys) }
  },

  /** One key that asks so often against a log of 100. */
  log(times = '') {
    const { limiter } = limiterFor(1000, slidingLog({ limit: 100, window: '1h' }))
    ask(limiter, 'a', 100_000)
    const before = bytesHeld()
    ask(limiter, 'a', Number(times))
    return { bytes: bytesHeld() - before }
  },

  /** One check and nothing more: what would keep the process from ending. */
  exit() {
    const open = process.getActiveResourcesInfo()
    const limiter = createLimiter({ limit: '5/1m' })
    ask(limiter, 'a', 1)
    const opened = process.getActiveResourcesInfo().length - open.length
    void limiter.close()
    void limiter.close()
    return { opened }
  },
}

function limiterFor(maxKeys: number, limit: Parameters<typeof createLimiter>[0]['limit']) {
  const store: MemoryStore = memoryStore({ maxKeys, logger: { warn, error: warn } })
  return { store, limiter: createLimiter({ limit, store }) }
}

/** Everything that the process holds: buffers are part of `external`. */
function bytesHeld(): number {
  gc()
  gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Uses each key so many times. Gives the longest time that 10,000 decisions took. */
function flood(limiter: Limiter, key: (i: number) => string, count: number, times = 1): number {
  let longest = 0
  for (let i = 0; i < count; ) {
    const start = performance.now()
    for (let made = 0; made < 10_000 && i < count; made += times, i++) ask(limiter, key(i), times)
    longest = Math.max(longest, performance.now() - start)
  }
  return Math.round(longest)
}

function ask(limiter: Limiter, key: string, times: number): void {
  for (let time = 0; time < times; time++) void limiter.consume(key)
}

function blocked(limiter: Limiter): number {
  let count = 0
  for (let i = 0; i < 1000; i++) {
    const decision = limiter.peek(`blocked-${i}`)
    if ('allowed' in decision && !decision.allowed) count++
  }
  return count
}

function bodyOf(i: number): string {
  return Buffer.alloc(1_000_000, `${i}-abcdefghijklmnopqrstuvwxyz`).toString('latin1')
}

const [, , name = '', ...args] = process.argv
console.log(JSON.stringify(scenarios[name]?.(...args)))
