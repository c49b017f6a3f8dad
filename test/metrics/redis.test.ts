import { createLimiter, type Limiter } from '@rl/core'
import { collectRateLimits } from '@rl/prometheus'
import { Registry } from 'prom-client'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { clientOf, type Limited, limitedBy, untilAvailable, useMortalServer } from '../fault/lost-redis.js'
import { waitUntil } from '../support/wait-until.js'
import { scrape } from './samples.js'

const server = useMortalServer()

let register: Registry
beforeEach(() => {
  register = new Registry()
  const collection = collectRateLimits({ register })
  onTestFinished(() => collection.close())
})

function sample(name: string, labels: Record<string, string> = {}): Promise<number | undefined> {
  const list = Object.entries({ limiter: 'l', ...labels }).map(([label, value]) => `${label}="${value}"`)
  return scrape(register).then((samples) => samples[`rl_rate_limiting_${name}{${list.join(',')}}`])
}

const errors = (kind: string) => sample('store_errors_total', { kind, call: 'decide' })
const isOpen = () => sample('breaker_open')
const isAvailable = () => sample('store_available')
const decided = (source: string) => sample('requests_total', { policy: '1m', source, result: 'allowed' })

async function limiterOver(deadlineMs?: number): Promise<{ readonly limiter: Limiter } & Limited> {
  const limited = limitedBy(clientOf(server().port), { limit: '1000/1m' }, deadlineMs)
  await untilAvailable(limited.store)
  const limiter = createLimiter(limited.options)
  onTestFinished(() => limiter.close())
  return { limiter, ...limited }
}

const ask = (limiter: Limiter, times: number) =>
  Promise.all(Array.from({ length: times }, () => limiter.consume('ann')))

it('a Redis that is killed with calls under way opens the breaker; every call that failed is counted by kind', async () => {
  const { limiter, store } = await limiterOver()
  await ask(limiter, 3)
  expect(await Promise.all([isOpen(), isAvailable(), errors('connection')])).toEqual([0, 1, undefined])
  server().freeze()
  const underWay = ask(limiter, 10)
  await server().kill()
  await underWay
  expect(await Promise.all([isOpen(), isAvailable(), errors('connection')])).toEqual([1, 0, 10])
  await ask(limiter, 7)
  expect(await errors('down')).toBe(7)
  expect(await Promise.all([decided('store'), decided('local')])).toEqual([3, 17])
  await server().restart()
  await untilAvailable(store)
  expect(await Promise.all([isOpen(), isAvailable()])).toEqual([0, 1])
})

it('a Redis that is frozen is one that answers too late, until the breaker opens', async () => {
  const { limiter } = await limiterOver(60)
  await ask(limiter, 1)
  server().freeze()
  await ask(limiter, 6)
  expect(await errors('deadline')).toBe(6)
  expect(await isOpen()).toBe(1)
  server().thaw()
  await waitUntil(async () => (await isOpen()) === 0, { what: 'the breaker has closed', timeoutMs: 10_000 })
})

it('a breaker that opened before anybody collected is seen as open', async () => {
  const { limiter } = await limiterOver(60)
  server().freeze()
  await ask(limiter, 6)
  const late = new Registry()
  const collection = collectRateLimits({ register: late })
  onTestFinished(() => collection.close())
  await ask(limiter, 1)
  expect(await scrape(late)).toMatchObject({ 'rl_rate_limiting_breaker_open{limiter="l"}': 1 })
})

it('an error that Redis answers with is a reply', async () => {
  const { limiter } = await limiterOver()
  await server().command('CONFIG', 'SET', 'maxmemory', '1')
  await ask(limiter, 1)
  await server().command('CONFIG', 'SET', 'maxmemory', '0')
  expect(await errors('reply')).toBe(1)
})
