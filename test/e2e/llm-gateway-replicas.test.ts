import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from '../scripts/setup.mjs'
import { waitUntil } from '../support/wait-until.js'
import {
  clientOf,
  meterOf,
  PROMPT_TOKENS,
  QUESTION,
  refused,
  type Service,
  type Setup,
  startGateway,
  startSetup,
} from './llm-gateway.js'
import { countRun } from './llm-gateway-run.js'

let setup: Setup
beforeAll(async () => {
  ensureBuilt()
  setup = await startSetup(2)
}, 180_000)
afterAll(() => setup.stop())

describe('two gateways, one Redis', () => {
  it('200 callers on 20 a second of a model: never more in a second of the server, and refusals count nothing', async () => {
    await setup.seed('crowd')
    const meter = await meterOf(setup.redis, 'crowd')
    const before = (await setup.stats()).requests
    const clients = setup.gateways.map((each) => clientOf(each, 'crowd', { 'config-profile': 'rps-20' }))
    const statuses: number[] = []
    const caller = async (n: number) => {
      for (let turn = 0; turn < 3; turn++) {
        const call = clients[(n + turn) % 2]?.chat.completions.create(QUESTION)
        statuses.push(
          (await call?.then(
            () => 200,
            ({ status }) => status,
          )) ?? 0,
        )
      }
    }
    await Promise.all(Array.from({ length: 200 }, (_, n) => caller(n)))
    const admitted = statuses.filter((status) => status === 200).length
    expect(statuses.filter((status) => status === 429).length).toBe(600 - admitted)
    const charged = setup.lines('crowd').filter(({ end }) => end === 'complete')
    const perSecond = new Map<number, number>()
    for (const { chargedAt = 0 } of charged) {
      const second = Math.floor(chargedAt / 1000)
      perSecond.set(second, (perSecond.get(second) ?? 0) + 1)
    }
    expect(charged.length).toBe(admitted)
    expect(Math.max(...perSecond.values())).toBe(20)
    expect((await setup.stats()).requests - before).toBe(admitted)
    expect(await meter.read()).toEqual({ requests: admitted, tokens: 24 * admitted })
    await meter.close()
  })

  it("a refusal leaves the model's counter as it was, byte by byte", async () => {
    await setup.seed('bytes')
    const [gateway] = setup.gateways as [Service]
    const client = clientOf(gateway, 'bytes', { 'config-profile': 'rps-limited' })
    const ask = () => client.chat.completions.create({ ...QUESTION, model: 'large' })
    const counter = async () =>
      [await second(), await setup.redis.command('GET', 'llm:model:{large}')] as const
    // Until it happened within one second of the server.
    await waitUntil(
      async () => {
        const isAdmitted = await ask().then(
          () => true,
          () => false,
        )
        if (!isAdmitted) return false
        const before = await counter()
        const errors = [
          await refused(ask()).catch(() => undefined),
          await refused(ask()).catch(() => undefined),
        ]
        const after = await counter()
        if (before[0] !== after[0] || before[1] === null || errors.includes(undefined)) return false
        expect(errors.map((error) => error?.type)).toEqual(['model_requests', 'model_requests'])
        expect(after[1]).toBe(before[1])
        return true
      },
      { what: 'a second has one admission and two refusals', timeoutMs: 15_000 },
    )
  })

  it('one that is killed in mid-request: the reservation stays charged', async () => {
    await setup.seed('killed')
    const meter = await meterOf(setup.redis, 'killed')
    const upstream = setup.models.map(({ url }) => url).join(',')
    const victim = await startGateway('--redis-addr', `127.0.0.1:${setup.redis.port}`, '--upstream', upstream)
    const before = (await setup.stats()).requests
    const call = clientOf(victim, 'killed').chat.completions.create({
      ...QUESTION,
      max_tokens: 100,
      metadata: { fault: 'hang' },
    })
    const outcome = expect(call).rejects.toThrow('Connection error')
    await waitUntil(async () => (await setup.stats()).requests > before, { what: 'it is in flight' })
    victim.kill('SIGKILL')
    await outcome
    expect(await meter.read()).toEqual({ requests: 1, tokens: PROMPT_TOKENS + 100 })
    await meter.close()
  })

  it('one that is told to stop: what is under way is answered and settled', async () => {
    await setup.seed('stopped')
    const meter = await meterOf(setup.redis, 'stopped')
    const slow = await startGateway(
      '--redis-addr',
      `127.0.0.1:${setup.redis.port}`,
      '--upstream',
      setup.models[0].url,
    )
    const metadata = { fault: 'stall' }
    const stream = await clientOf(slow, 'stopped').chat.completions.create({
      ...QUESTION,
      stream: true,
      metadata,
    })
    for await (const _chunk of stream) break
    const whole = clientOf(slow, 'stopped').chat.completions.create(QUESTION)
    slow.kill()
    await whole.catch(() => {})
    expect(await slow.ended).toBe(0)
    const { tokens } = await meter.read()
    expect([PROMPT_TOKENS + 8, PROMPT_TOKENS + 8 + 24]).toContain(tokens)
    await meter.close()
  })

  it('tokens counted and tokens reported: no difference after 150 requests with random failures', async () => {
    await setup.seed('random')
    const meter = await meterOf(setup.redis, 'random')
    const { expected, outcomes } = await countRun(setup, {
      user: 'random',
      requests: 150,
      concurrency: 15,
      seed: 7,
    })
    await waitUntil(() => setup.lines('random').length === 150, { what: 'all are settled' })
    expect(await meter.read()).toEqual(expected)
    expect(Object.keys(outcomes).length).toBeGreaterThanOrEqual(5)
    await meter.close()
  })
})

describe('tokens a minute, all callers at once', () => {
  /** Tokens of admitted requests never exceed, in any span, a full bucket, its refill, and so many more. */
  function expectBucketLaw(user: string, perMinute: number, more: number): number {
    const admitted = setup
      .lines(user)
      .filter(({ end }) => end === 'complete')
      .map(({ chargedAt = Number.NaN, tokens }) => ({ at: chargedAt, tokens }))
      .sort((a, b) => a.at - b.at)
    for (const [i, first] of admitted.entries()) {
      let sum = 0
      for (const { at, tokens } of admitted.slice(i)) {
        sum += tokens
        expect(sum).toBeLessThanOrEqual(perMinute + ((at - first.at) * perMinute) / 60_000 + more)
      }
    }
    return admitted.length
  }

  async function hammer(user: string, metadata: Readonly<Record<string, string>>): Promise<void> {
    const clients = setup.gateways.map((each) => clientOf(each, user))
    const caller = async (n: number) => {
      for (let turn = 0; turn < 8; turn++)
        await clients[(n + turn) % 2]?.chat.completions
          .create({ ...QUESTION, max_tokens: 192, metadata })
          .catch(({ status }) => expect(status).toBe(429))
    }
    await Promise.all(Array.from({ length: 20 }, (_, n) => caller(n)))
  }

  it('with max_tokens kept by the model: never more than a bucket and its refill', async () => {
    await setup.seed('exact', 60_000, 6000)
    await hammer('exact', { tokens: '192' })
    // 30 times 200 tokens at once, and what came back meanwhile.
    expect(expectBucketLaw('exact', 6000, 0)).toBeGreaterThanOrEqual(30)
  })

  it('with a model that takes 100 tokens more each time: more by what was in flight, and the debt is paid', async () => {
    await setup.seed('debtor', 60_000, 6000)
    await hammer('debtor', { tokens: '192', fault: 'over' })
    expect(expectBucketLaw('debtor', 6000, 20 * 100)).toBeLessThan(30)
  })
})

describe('without Redis for a while', () => {
  it('users who were seen go on, counted in the process; strangers wait; nothing is 5xx by the limiter', async () => {
    const own = await startSetup(1, '--deadline-ms', '100')
    const [gateway] = own.gateways as [Service]
    await own.seed('ann', 5)
    const client = clientOf(gateway, 'ann')
    expect((await client.chat.completions.create(QUESTION)).usage?.total_tokens).toBe(24)
    own.redis.freeze()
    expect((await client.chat.completions.create(QUESTION)).usage?.total_tokens).toBe(24)
    own.redis.thaw()
    await own.redis.kill()
    const statuses = []
    for (let call = 0; call < 6; call++)
      statuses.push(
        await client.chat.completions.create(QUESTION).then(
          () => 200,
          ({ status }) => status,
        ),
      )
    // Five by a limit of this process, of which the frozen Redis had one or none.
    expect(statuses.slice(0, 4)).toEqual([200, 200, 200, 200])
    expect(statuses.at(-1)).toBe(429)
    expect(
      (
        await refused(
          clientOf(gateway, 'new')
            .models.list()
            .then((page) => page.data),
        )
      ).status,
    ).toBe(503)
    await own.redis.restart()
    await waitUntil(async () => JSON.stringify(await health(gateway)).includes('in Redis"'), {
      what: 'Redis counts again',
      timeoutMs: 10_000,
    })
    expect(gateway.output()).not.toMatch(/Error:/)
    await own.stop()
  })
})

async function health(gateway: Service): Promise<unknown> {
  return (await fetch(`${gateway.url}/health`)).json()
}

async function second(): Promise<unknown> {
  return ((await setup.redis.command('TIME')) as readonly unknown[])[0]
}
