import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../examples/llm-gateway/src/config.js'
import { readFlags } from '../../examples/llm-gateway/src/flags.js'
import { ensureBuilt } from '../scripts/setup.mjs'
import { inRoot } from '../scripts/workspace.mjs'
import { scratchDir } from '../support/guardian.js'
import { waitUntil } from '../support/wait-until.js'
import {
  clientOf,
  QUESTION,
  refused,
  type Service,
  type Setup,
  startExample,
  startGateway,
  startSetup,
} from './llm-gateway.js'

let setup: Setup
let gateway: Service
beforeAll(async () => {
  ensureBuilt()
  setup = await startSetup(1, '--max-body-bytes', '300000')
  gateway = setup.gateways[0] as Service
  await setup.seed('ann')
}, 180_000)
afterAll(() => setup.stop())

/** Posts a body as it is. */
async function post(
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly [number, unknown]> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-ann', ...headers },
    body,
  })
  return [response.status, ((await response.json()) as { error: unknown }).error]
}

const invalid = (param: string | null) => ({
  message: expect.any(String),
  type: 'invalid_request_error',
  param,
  code: null,
})

describe('what is not a chat request', () => {
  it.each([
    ['', null],
    ['{', null],
    ['null', null],
    ['[]', null],
    ['{"model":"small"}', 'messages'],
    ['{"model":"small","messages":[]}', 'messages'],
    ['{"model":7,"messages":[{"role":"user","content":"Hi"}]}', 'model'],
    ['{"model":"small","messages":[{"role":"user","content":7}]}', 'messages.0.content'],
    ['{"model":"small","messages":[{"role":"user","content":"Hi"}],"n":1000000}', 'n'],
  ] as const)('%s: 400 that names the parameter', async (body, param) => {
    expect(await post(body)).toEqual([400, invalid(param)])
  })

  it.each(['-1', '0', '1.5', '1e9', '9007199254740993', '1e999', '"7"', '[]'])(
    'max_tokens %s: 400',
    async (wrong) => {
      const body = JSON.stringify(QUESTION).replace('{', `{"max_tokens":${wrong},`)
      expect(await post(body)).toEqual([400, invalid('max_tokens')])
    },
  )

  it.each(['tools', 'filler'])('%s nested 100,000 times: 400, or passed on', async (name) => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const [status] = await post(JSON.stringify(QUESTION).replace('{', `{"${name}":${deep},`))
    expect([200, 400]).toContain(status)
    expect((await post(JSON.stringify(QUESTION)))[0]).toBe(200)
  })

  it('a field that is called __proto__ is only a field', async () => {
    expect((await post(JSON.stringify(QUESTION).replace('{', '{"__proto__":{"model":"x","n":9},')))[0]).toBe(
      200,
    )
  })

  it('a model that is not there: 404, and no key of it in Redis', async () => {
    const error = await refused(
      clientOf(gateway, 'ann').chat.completions.create({ ...QUESTION, model: 'x}{y' }),
    )
    expect([error.status, error.code, error.param]).toEqual([404, 'model_not_found', 'model'])
    expect(await setup.redis.command('KEYS', 'llm:model:*')).toEqual([])
  })

  it('too much of a body: 413', async () => {
    const [status, error] = await post(JSON.stringify({ ...QUESTION, filler: 'x'.repeat(300_001) }))
    expect([status, error]).toEqual([413, { ...invalid(null) }])
  })

  it('text that costs a tokenizer much time holds up nobody for long', async () => {
    for (const text of [
      'a'.repeat(250_000),
      '😀'.repeat(60_000),
      ' '.repeat(250_000),
      '<|endoftext|>'.repeat(2000),
    ]) {
      const start = performance.now()
      const messages = [{ role: 'user', content: text }]
      await post(JSON.stringify({ model: 'small', messages, max_tokens: 1 }))
      expect(performance.now() - start).toBeLessThan(5000)
    }
  })
})

describe('who is not a user', () => {
  it.each([
    ['none', undefined],
    ['another kind', 'Basic c2stYW5uOg=='],
    ['one that nobody has', 'Bearer sk-nobody'],
    ['one with a pattern', 'Bearer sk-*'],
    ['a long one', `Bearer ${'x'.repeat(5000)}`],
  ])('an API key: %s: 401', async (_what, authorization) => {
    const response = await fetch(`${gateway.url}/v1/models`, {
      headers: authorization ? { authorization } : {},
    })
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({ error: { ...invalid(null), code: 'invalid_api_key' } })
  })

  it('a record that is broken is nobody, and the operator hears of it', async () => {
    const key = `llm:key:${createHash('sha256').update('sk-broken').digest('hex')}`
    await setup.redis.command('HSET', key, 'id', 'broken', 'rpm', 'many', 'tpm', '10')
    const error = await refused(
      clientOf(gateway, 'broken')
        .models.list()
        .then((page) => page.data),
    )
    expect(error.status).toBe(401)
    await waitUntil(() => gateway.output().includes(`the record ${key} is broken`), { what: 'it is said' })
  })
})

it('models are listed as OpenAI lists them, sixty times a minute', async () => {
  await setup.seed('lister')
  const client = clientOf(gateway, 'lister')
  for (let call = 0; call < 60; call++) {
    const { data } = await client.models.list()
    expect(data.map(({ id }) => id)).toEqual(['small', 'large'])
  }
  const error = await refused(client.models.list().then((page) => page.data))
  expect([error.status, error.code]).toEqual([429, 'rate_limit_exceeded'])
})

it('a path that is not there: 404 in the same shape', async () => {
  const response = await fetch(`${gateway.url}/v2`)
  expect([response.status, await response.json()]).toEqual([
    404,
    { error: { ...invalid(null), code: 'unknown_url' } },
  ])
})

describe('what a gateway does not start with', () => {
  it.each([
    ['not json', /config\.json: .*JSON/],
    ['{"profiles":{"a":{"requestsPerSecond":-1}}}', /config\.json: profiles\.a\.requestsPerSecond: /],
    ['{"profiles":{"a":{"requestPerSecond":1}}}', /config\.json: profiles\.a: .*requestPerSecond/],
    ['{"profiles":{"a":{"routingStrategy":"random"}}}', /config\.json: profiles\.a\.routingStrategy: /],
    ['{}', /config\.json: profiles: /],
  ])('a file of profiles such as %s: an error with the place', (text, message) => {
    const file = join(scratchDir('llm'), 'config.json')
    writeFileSync(file, text)
    expect(() => readConfig(file)).toThrow(message)
  })

  it.each([
    [['--upstream', 'nowhere'], '--upstream takes URLs'],
    [['--models', 'a,,b'], '--models takes names'],
    [['--default-max-tokens', '0'], '--default-max-tokens takes a whole number from 1'],
    [['--redis-addr', 'nowhere'], '--redis-addr takes a port'],
    [['--addr', ':99999'], '--addr takes a port'],
  ])('%j: an error that names the flag', (flags, message) => {
    expect(() => readFlags(flags)).toThrow(message)
  })

  it('it says so, and its exit code is 2', async () => {
    const program = startExample('main', ['--config', '/nonexistent.json'])
    expect(await program.ended).toBe(2)
    expect(program.output()).toMatch(/^llm-gateway: --config \/nonexistent\.json: ENOENT/)
  })
})

it('the file of profiles that the README shows loads as it is', () => {
  const profiles = readConfig(inRoot('examples/llm-gateway/config.json'))
  expect([...profiles.values()]).toEqual([{ name: 'rps-limited', requestsPerSecond: 1 }])
})

it('without Redis nothing is limited, and it says so', async () => {
  const free = await startGateway('--upstream', setup.models.map(({ url }) => url).join(','))
  expect(free.output()).toContain('NOTHING IS LIMITED and any API key is taken, as there is no --redis-addr')
  const { data, response } = await clientOf(free, 'whoever').chat.completions.create(QUESTION).withResponse()
  expect(data.usage?.total_tokens).toBe(24)
  expect([...response.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
  free.kill()
  expect(await free.ended).toBe(0)
})
