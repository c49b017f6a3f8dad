import { type Counted, createLimiter, fixedWindow, type Limiter } from '@rl/core'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { useProxy } from '../support/use-redis.js'
import { waitUntil } from '../support/wait-until.js'
import { clientOf, limitedBy, silent, untilAvailable, useMortalServer } from './lost-redis.js'

const server = useMortalServer()
const proxy = useProxy(server)
afterEach(() => proxy().listen())

const year = (limit: number) => fixedWindow({ limit, window: '365d' })
const repay = { repay: true }

/** A limiter over a wire that can be cut, with its store and events, and one that nobody cuts. */
async function open(onStoreFailure: object = repay, limit = year(100)) {
  const { options, store, events } = limitedBy(clientOf(proxy().port), { limit, onStoreFailure }, 500)
  const limiter = createLimiter(options)
  onTestFinished(() => limiter.close())
  await untilAvailable(store)
  await limiter.consume('warm')
  return { limiter, store, events }
}

type Opened = Awaited<ReturnType<typeof open>>

async function cut({ store }: Opened): Promise<void> {
  proxy().refuse()
  proxy().dropAll()
  await waitUntil(() => store.available?.() === false, { what: 'the wire is cut' })
}

async function locally(limiter: Limiter, key: string, cost = 1): Promise<Counted> {
  const decision = (await limiter.consume(key, { cost })) as Counted
  expect(decision.source).toBe('local')
  return decision
}

/** The store is there again, and all is paid that will be. */
async function recovered({ store, events }: Opened): Promise<void> {
  await proxy().listen()
  await untilAvailable(store)
  const repaid = () => events.some(({ type }) => type === 'repaid')
  await waitUntil(repaid, { what: 'the store is repaid', timeoutMs: 15_000 })
}

const used = async (limiter: Limiter, key: string) => ((await limiter.peek(key)) as Counted).used

describe('G13: what was admitted in an outage is charged when it is over', () => {
  it('to each key what it cost, refusals nothing, and beside what was charged before', async () => {
    const opened = await open(repay, year(5))
    const { limiter, events } = opened
    await limiter.consume('ann', { cost: 2 })
    await cut(opened)
    await locally(limiter, 'ann')
    await locally(limiter, 'bob', 3)
    await locally(limiter, 'bob', 2)
    expect(await limiter.consume('bob')).toMatchObject({ source: 'local', allowed: false })
    await recovered(opened)
    expect(await limiter.peek('ann')).toMatchObject({ source: 'store', used: 3 })
    expect(await used(limiter, 'bob')).toBe(5)
    expect(events.filter(({ type }) => type === 'repaid')).toEqual([
      { type: 'repaid', limiter: 'l', decisions: 3, dropped: 0 },
    ])
  })

  it('of a server that was stopped and started', async () => {
    const opened = await open()
    await server().kill()
    await waitUntil(() => opened.store.available?.() === false, { what: 'the server is gone' })
    for (let i = 0; i < 30; i++) await locally(opened.limiter, `k${i % 3}`)
    await server().restart()
    await recovered(opened)
    const counts = ['k0', 'k1', 'k2'].map((key) => used(opened.limiter, key))
    expect(await Promise.all(counts)).toEqual([10, 10, 10])
  })

  it('not of a limiter without the option', async () => {
    const opened = await open()
    const other = createLimiter({ name: 'other', store: opened.store, limit: year(100), logger: silent })
    onTestFinished(() => other.close())
    await cut(opened)
    for (const limiter of [other, opened.limiter]) await locally(limiter, 'ann')
    await recovered(opened)
    expect([await used(other, 'ann'), await used(opened.limiter, 'ann')]).toEqual([0, 1])
  })

  it('by what the limiter counts, although the stand-by counted by another limit', async () => {
    const opened = await open({ ...repay, local: '3/1s' })
    await cut(opened)
    await locally(opened.limiter, 'ann', 2)
    await recovered(opened)
    expect(await opened.limiter.peek('ann')).toMatchObject({ limit: 100, used: 2 })
  })

  it('as it was settled: given back, in part, and more', async () => {
    const opened = await open()
    const { limiter } = opened
    await cut(opened)
    const [back, part, more] = [
      await locally(limiter, 'back', 5),
      await locally(limiter, 'part', 5),
      await locally(limiter, 'more', 5),
    ]
    for (let time = 0; time < 2; time++) {
      await limiter.refund(back)
      await limiter.settle(part, 3)
      await limiter.settle(more, 8)
    }
    await recovered(opened)
    const counts = ['back', 'part', 'more'].map((key) => used(limiter, key))
    expect(await Promise.all(counts)).toEqual([0, 3, 8])
  })

  it('settled after it was charged: more is charged, less is told of and stays', async () => {
    const opened = await open()
    const { limiter, events } = opened
    await cut(opened)
    const [more, less] = [await locally(limiter, 'more', 5), await locally(limiter, 'less', 5)]
    await recovered(opened)
    await limiter.settle(less, 1)
    await limiter.settle(more, 8)
    await waitUntil(async () => (await used(limiter, 'more')) === 8, { what: 'the rest is charged' })
    expect(await used(limiter, 'less')).toBe(5)
    expect(events.filter(({ type }) => type === 'settle-dropped')).toHaveLength(1)
  })

  it('once, although the answer was lost', async () => {
    const opened = await open()
    await cut(opened)
    await locally(opened.limiter, 'ann', 7)
    const lost = proxy().cutAfterRequest(':repaid:')
    await recovered(opened)
    await lost
    expect(await used(opened.limiter, 'ann')).toBe(7)
  })

  it('not what Redis was asked for and did not answer, as it may have charged that', async () => {
    const opened = await open()
    proxy().stallReplies()
    const asked = Array.from({ length: 3 }, () => locally(opened.limiter, 'ann'))
    await Promise.all(asked)
    await cut(opened)
    proxy().pass()
    await locally(opened.limiter, 'ann')
    await recovered(opened)
    // Redis ran those three.
    expect(await used(opened.limiter, 'ann')).toBe(4)
  })

  it('by no limiter that was closed: what it owed is told', async () => {
    const opened = await open()
    const { limiter, store, events } = opened
    await cut(opened)
    await locally(limiter, 'ann')
    await limiter.close()
    expect(events.at(-1)).toEqual({ type: 'repaid', limiter: 'l', decisions: 0, dropped: 1 })
    await proxy().listen()
    await untilAvailable(store)
    const other = createLimiter({ name: 'l', store, limit: year(100), logger: silent })
    expect(await used(other, 'ann')).toBe(0)
  })

  it('of a key that holds what is not ours the others are charged', async () => {
    const opened = await open()
    const { limiter, events } = opened
    await cut(opened)
    for (const key of ['ann', 'bob', 'eve']) await locally(limiter, key)
    for (const warm of (await server().command('KEYS', '*:l:{warm}')) as string[])
      await server().command('LPUSH', warm.replace('warm', 'bob'), 'x')
    await recovered(opened)
    expect(await Promise.all(['ann', 'eve'].map((key) => used(limiter, key)))).toEqual([1, 1])
    expect(events).toContainEqual({ type: 'repaid', limiter: 'l', decisions: 2, dropped: 1 })
  })
})
