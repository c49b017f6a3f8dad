import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from '../scripts/setup.mjs'
import { freePort } from '../support/free-port.js'
import { waitUntil } from '../support/wait-until.js'
import {
  clientOf,
  type Meter,
  meterOf,
  PROMPT_TOKENS,
  QUESTION,
  refused,
  type Service,
  type Setup,
  startGateway,
  startSetup,
} from './llm-gateway.js'

let setup: Setup
let gateway: Service
beforeAll(async () => {
  ensureBuilt()
  setup = await startSetup(1, '--upstream-timeout-ms', '400')
  gateway = setup.gateways[0] as Service
}, 180_000)
afterAll(() => setup.stop())

/** A user of their own, whose charges are read exactly. */
async function newUser(name: string): Promise<Meter> {
  await setup.seed(name)
  return meterOf(setup.redis, name)
}

describe('what a request costs', () => {
  it('an answer: what the model server reports, and the fields tell how the user stands', async () => {
    const meter = await newUser('ann')
    const client = clientOf(gateway, 'ann')
    const { data, response } = await client.chat.completions
      .create({ ...QUESTION, max_tokens: 100 })
      .withResponse()
    expect(data.usage).toEqual({ prompt_tokens: 8, completion_tokens: 16, total_tokens: 24 })
    expect(await meter.read()).toEqual({ requests: 1, tokens: 24 })
    const field = (name: string) => response.headers.get(`x-ratelimit-${name}`)
    expect([field('limit-requests'), field('limit-tokens')]).toEqual(['60000', '60000'])
    // That much the meter has charged before; what has come back since is some seconds' worth.
    expect(Number(field('remaining-requests'))).toBeGreaterThanOrEqual(9999)
    expect(Number(field('remaining-tokens'))).toBeGreaterThanOrEqual(40_000 - 108)
    expect(field('reset-tokens')).toMatch(/^\d{1,2}(\.\d+)?s$/)
    expect(response.headers.has('retry-after')).toBe(false)
    await meter.close()
  })

  it('a stream: the same, settled before the client sees its end; the usage is hidden from who did not ask', async () => {
    const meter = await newUser('stream')
    const client = clientOf(gateway, 'stream')
    for (const include_usage of [undefined, false, true]) {
      const options = include_usage === undefined ? {} : { stream_options: { include_usage } }
      const stream = await client.chat.completions.create({ ...QUESTION, ...options, stream: true })
      const chunks = []
      for await (const chunk of stream) chunks.push(chunk)
      expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toMatch(
        /^one two three .* six$/,
      )
      const usages = chunks.flatMap(({ usage }) => usage?.total_tokens ?? [])
      expect(usages).toEqual(include_usage === true ? [24] : [])
      expect(chunks.every(({ choices }) => choices.length > 0)).toBe(include_usage !== true)
      expect(await meter.read()).toEqual({ requests: 1, tokens: 24 })
    }
    await meter.close()
  })

  it('more than was reserved: a debt', async () => {
    const meter = await newUser('over')
    const metadata = { fault: 'over' }
    await clientOf(gateway, 'over').chat.completions.create({ ...QUESTION, max_tokens: 16, metadata })
    expect(await meter.read()).toEqual({ requests: 1, tokens: 124 })
    await meter.close()
  })

  it.each([
    ['500', 502, 'upstream_failed'],
    ['429', 502, 'upstream_failed'],
    ['drop', 502, 'upstream_failed'],
    ['cut', 502, 'upstream_failed'],
    ['hang', 504, 'upstream_timeout'],
  ])('model servers that fail (%s): nothing; the client is told %i', async (fault, status, code) => {
    const meter = await newUser(`fault-${fault}`)
    const client = clientOf(gateway, `fault-${fault}`, { 'config-profile': 'rps-20' })
    const before = (await setup.stats()).requests
    const error = await refused(client.chat.completions.create({ ...QUESTION, metadata: { fault } }))
    expect([error.status, error.code, error.type]).toEqual([status, code, 'server_error'])
    expect((await setup.stats()).requests - before).toBe(2)
    expect(await meter.read()).toEqual({ requests: 0, tokens: 0 })
    await meter.close()
  })

  it("failures give back the model's rate as well: five in a row on one request a second", async () => {
    await setup.seed('rate-back')
    const client = clientOf(gateway, 'rate-back', { 'config-profile': 'rps-limited' })
    for (const fault of ['500', 'drop', 'cut', '429', '500']) {
      const error = await refused(client.chat.completions.create({ ...QUESTION, metadata: { fault } }))
      expect(error.status).toBe(502)
    }
    expect((await client.chat.completions.create(QUESTION)).usage?.total_tokens).toBe(24)
  })

  it('the model server with the least requests in flight is asked', async () => {
    await setup.seed('busy')
    // A failure of an earlier test rests one of them for a while: this gateway knows of none.
    const upstream = setup.models.map(({ url }) => url).join(',')
    const fresh = await startGateway('--redis-addr', `127.0.0.1:${setup.redis.port}`, '--upstream', upstream)
    const inFlight = async (): Promise<Record<string, number>> => {
      const health = (await (await fetch(`${fresh.url}/health`)).json()) as {
        inFlight: Record<string, number>
      }
      return health.inFlight
    }
    const held = async () => Object.values(await inFlight()).reduce((sum, each) => sum + each, 0)
    const [a, b] = setup.models.map(({ url }) => url) as [string, string]
    const stall = () =>
      clientOf(fresh, 'busy').chat.completions.create({
        ...QUESTION,
        stream: true,
        metadata: { fault: 'stall' },
      })
    const first = await Promise.all(Array.from({ length: 10 }, stall))
    expect(await inFlight()).toEqual({ [a]: 5, [b]: 5 })
    // Free the first three, wherever they are, and the next three go there.
    for (const stream of first.slice(0, 3)) stream.controller.abort()
    await waitUntil(async () => (await held()) === 7, {
      what: 'three are over',
    })
    const more = await Promise.all([stall(), stall(), stall()])
    expect(await inFlight()).toEqual({ [a]: 5, [b]: 5 })
    for (const stream of [...first, ...more]) stream.controller.abort()
    await waitUntil(async () => (await held()) === 0, { what: 'all are over' })
    fresh.kill('SIGKILL')
  })

  it('Redis runs one script to decide on user and model, and one for each that is corrected', async () => {
    await setup.seed('calls')
    const client = clientOf(gateway, 'calls', { 'config-profile': 'rps-20' })
    await client.chat.completions.create(QUESTION)
    const callsOf = async (fault: string) => {
      await setup.redis.resetStats()
      await client.chat.completions.create({ ...QUESTION, metadata: { fault } }).catch(() => {})
      const { evalsha, hgetall, eval: evaluated } = await setup.redis.commandstats()
      return [evalsha?.calls, hgetall?.calls, evaluated?.calls]
    }
    // The user's record was read before; the user is settled, and when all fails the model as well.
    expect(await callsOf('none')).toEqual([2, undefined, undefined])
    expect(await callsOf('500')).toEqual([3, undefined, undefined])
  })

  it('model servers that are not there: nothing', async () => {
    const meter = await newUser('refused')
    const nobody = `http://127.0.0.1:${await freePort()}`
    const alone = await startGateway('--redis-addr', `127.0.0.1:${setup.redis.port}`, '--upstream', nobody)
    const error = await refused(clientOf(alone, 'refused').chat.completions.create(QUESTION))
    expect([error.status, error.code]).toEqual([502, 'upstream_failed'])
    expect(await meter.read()).toEqual({ requests: 0, tokens: 0 })
    alone.kill()
    expect(await alone.ended).toBe(0)
    await meter.close()
  })

  it('a request that the model server refuses: the request, and no tokens', async () => {
    const meter = await newUser('model-400')
    for (const stream of [false, true]) {
      const error = await refused(
        clientOf(gateway, 'model-400').chat.completions.create({
          ...QUESTION,
          stream,
          metadata: { fault: 'what?' },
        }),
      )
      expect(error.status).toBe(400)
      expect(await meter.read()).toEqual({ requests: 1, tokens: 0 })
    }
    await meter.close()
  })

  it('one model server that fails: the other one answers', async () => {
    const meter = await newUser('failover')
    const client = clientOf(gateway, 'failover')
    for (const at of ['a', 'b', 'a', 'b']) {
      const metadata = { fault: '500', at }
      const { usage } = await client.chat.completions.create({ ...QUESTION, metadata })
      expect(usage?.total_tokens).toBe(24)
    }
    expect(await meter.read()).toEqual({ requests: 4, tokens: 96 })
    await meter.close()
  })

  it('a stream that the model server cuts: what came, and the client gets an error', async () => {
    const meter = await newUser('cut')
    const metadata = { fault: 'cut' }
    const stream = await clientOf(gateway, 'cut').chat.completions.create({
      ...QUESTION,
      stream: true,
      metadata,
    })
    const read = async () => {
      for await (const _chunk of stream);
    }
    expect((await refused(read())).code).toBe('upstream_cut')
    expect(await meter.read()).toEqual({ requests: 1, tokens: PROMPT_TOKENS + 8 })
    await meter.close()
  })

  it('a stream without a word of usage: what was streamed, by the tokenizer', async () => {
    const meter = await newUser('silent')
    const metadata = { fault: 'silent', tokens: '40' }
    const stream = await clientOf(gateway, 'silent').chat.completions.create({
      ...QUESTION,
      stream: true,
      metadata,
    })
    for await (const _chunk of stream);
    expect(await meter.read()).toEqual({ requests: 1, tokens: PROMPT_TOKENS + 40 })
    await meter.close()
  })

  it('a client that leaves a stream: what was streamed so far, and the model server is left too', async () => {
    const meter = await newUser('leaver')
    const metadata = { fault: 'stall', tokens: '20' }
    const stream = await clientOf(gateway, 'leaver').chat.completions.create({
      ...QUESTION,
      stream: true,
      metadata,
    })
    let seen = 0
    for await (const _chunk of stream) if (++seen === 10) break
    const [line] = await waitUntil(() => nonEmpty(setup.lines('leaver')), { what: 'it is settled' })
    expect([line?.end, line?.tokens]).toEqual(['aborted', PROMPT_TOKENS + 10])
    expect(await meter.read()).toEqual({ requests: 1, tokens: PROMPT_TOKENS + 10 })
    await waitUntil(async () => (await setup.stats()).inFlight === 0, { what: 'nothing is in flight' })
    await meter.close()
  })

  it('a client that leaves before an answer: the question', async () => {
    const meter = await newUser('early')
    const leave = new AbortController()
    const { signal } = leave
    const call = clientOf(gateway, 'early').chat.completions.create(
      { ...QUESTION, metadata: { fault: 'hang' } },
      { signal },
    )
    setTimeout(() => leave.abort(), 100)
    await expect(call).rejects.toThrow('aborted')
    await waitUntil(() => nonEmpty(setup.lines('early')), { what: 'it is settled' })
    expect(await meter.read()).toEqual({ requests: 1, tokens: PROMPT_TOKENS })
    await meter.close()
  })
})

function nonEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list
}

describe('refusals', () => {
  it('by tokens: 429 that says so, with the time when it passes, and nothing is charged', async () => {
    await setup.seed('bob', 100, 100)
    const client = clientOf(gateway, 'bob')
    const ask = () =>
      client.chat.completions.create({ ...QUESTION, max_tokens: 92, metadata: { fault: 'over' } })
    expect((await ask()).usage?.total_tokens).toBe(124)
    const error = await refused(ask())
    expect(error.status).toBe(429)
    const { headers } = error
    expect(error.error).toEqual({
      message: expect.stringMatching(
        /^Rate limit reached for your key on tokens per min \(TPM\): Limit 100, Used 100, Requested 100\. Please try again in 1m\d+(\.\d+)?s\.$/,
      ),
      type: 'tokens',
      param: null,
      code: 'rate_limit_exceeded',
    })
    // 24 of debt and 100: 124 tokens at 100 a minute are 74.4 s, but for what came back meanwhile.
    const wait = Number(headers?.get('retry-after-ms'))
    expect(wait).toBeGreaterThan(64_000)
    expect(wait).toBeLessThanOrEqual(74_400)
    expect(headers?.get('retry-after')).toBe(String(Math.ceil(wait / 1000)))
    expect(headers?.get('x-ratelimit-remaining-requests')).toBe('99')
    expect(headers?.get('x-ratelimit-remaining-tokens')).toBe('0')
    expect((await refused(ask())).headers?.get('x-ratelimit-remaining-requests')).toBe('99')
  })

  it('by requests: six at once, and the seventh is told when', async () => {
    await setup.seed('six', 6, 60_000)
    const client = clientOf(gateway, 'six')
    for (const remaining of ['5', '4', '3', '2', '1', '0']) {
      const response = await client.chat.completions.create(QUESTION).asResponse()
      expect(response.headers.get('x-ratelimit-remaining-requests')).toBe(remaining)
    }
    const error = await refused(client.chat.completions.create(QUESTION))
    expect([error.status, error.type, error.code]).toEqual([429, 'requests', 'rate_limit_exceeded'])
    expect(Number(error.headers?.get('retry-after-ms'))).toBeLessThanOrEqual(10_000)
  })

  it('of what can never pass: no time to come back', async () => {
    await setup.seed('tiny', 10, 100)
    const error = await refused(
      clientOf(gateway, 'tiny').chat.completions.create({ ...QUESTION, max_tokens: 93 }),
    )
    expect(error.message).toBe(
      '429 Request too large for your key on tokens per min (TPM): Limit 100, Used 0, Requested 101. It can never pass.',
    )
    expect(error.headers?.has('retry-after')).toBe(false)
    const fits = await clientOf(gateway, 'tiny').chat.completions.create({ ...QUESTION, max_tokens: 92 })
    expect(fits.usage?.total_tokens).toBe(24)
  })

  it("by the model's rate: the user is charged nothing, and the client's own retry gets through", async () => {
    const meter = await newUser('model')
    const client = clientOf(gateway, 'model', { 'config-profile': 'rps-limited' })
    const calls = [1, 2, 3, 4].map(() => client.chat.completions.create({ ...QUESTION, model: 'large' }))
    const statuses = await Promise.all(
      calls.map((call) =>
        call.then(
          () => 200,
          (error) => error.status,
        ),
      ),
    )
    const admitted = statuses.filter((status) => status === 200).length
    expect(admitted).toBeLessThanOrEqual(2)
    expect(await meter.read()).toEqual({ requests: admitted, tokens: 24 * admitted })
    const [error] = (await Promise.allSettled(calls)).flatMap((each) =>
      each.status === 'rejected' ? [each.reason] : [],
    )
    expect(error.type).toBe('model_requests')
    expect(error.message).toMatch(
      /for model large, shared by all users, on requests per second \(RPS\): Limit 1, Used 1,/,
    )
    expect(Number(error.headers.get('retry-after-ms'))).toBeLessThanOrEqual(1000)
    await client.chat.completions.create({ ...QUESTION, model: 'large' }, { maxRetries: 5 })
    await meter.close()
  })

  it('a profile that is not there, or none, limits no model; the answer names the one that was taken', async () => {
    await setup.seed('profiles')
    for (const [name, taken] of [
      ['nothing', null],
      ['__proto__', null],
      ['free', 'free'],
      ['', null],
    ] as const) {
      const client = clientOf(gateway, 'profiles', { 'config-profile': name })
      const response = await client.chat.completions.create(QUESTION).asResponse()
      expect([response.status, response.headers.get('x-config-profile')]).toEqual([200, taken])
    }
  })
})
