import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { readFlags } from '../../examples/gateway/src/flags.js'
import { ensureBuilt } from '../scripts/setup.mjs'
import { inRoot } from '../scripts/workspace.mjs'
import { scratchDir } from '../support/guardian.js'
import { send } from '../support/http-client.js'
import { useServer } from '../support/use-redis.js'
import { waitUntil } from '../support/wait-until.js'
import { type Gateway, runGateway, startGateway, undisturbed } from './gateway.js'

beforeAll(() => ensureBuilt(), 120_000)
const server = useServer()

/** The one that is shipped. */
const SHIPPED = inRoot('examples/gateway/tenants.json')

function tenantsFile(content: unknown): string {
  const path = join(scratchDir('gateway'), 'tenants.json')
  writeFileSync(path, JSON.stringify(content))
  return path
}

const FILE = {
  default: 'anonymous',
  plans: {
    anonymous: { limit: '3/1h' },
    large: { limit: '200/1h', profiles: { probe: null } },
    small: { limit: '10/1h' },
  },
  tenants: {
    acme: { name: 'Acme', plan: 'large', keys: ['key-abc123'] },
    zenith: { name: 'Zenith', plan: 'small', keys: ['key-xyz789'] },
  },
}

interface Ask {
  readonly key?: string
  readonly forwarded?: string
  readonly profile?: string
  /** The address to connect from. */
  readonly from?: string
}

async function ask({ target }: Gateway, { key, forwarded, profile, from }: Ask = {}) {
  const headers = {
    ...(key === undefined ? {} : { 'X-API-Key': key }),
    ...(forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded }),
    ...(profile === undefined ? {} : { 'Config-Profile': profile }),
  }
  const { status, fields } = await send(
    target,
    '/api/ping',
    from === undefined ? { headers } : { headers, from },
  )
  return `${status} ${fields['x-ratelimit-remaining'] ?? '-'}/${fields['x-ratelimit-limit'] ?? '-'}`
}

describe('two gateways on one Redis', () => {
  async function two(flags: readonly string[]): Promise<readonly [Gateway, Gateway]> {
    const all = ['--redis-addr', `127.0.0.1:${server().port}`, ...flags]
    return [await startGateway(all), await startGateway(all)]
  }

  it('with five a minute the sixth request is refused, whichever port it hits', async () => {
    const gateways = await two(['--rate', '5', '--window', '1m'])
    const answers = await undisturbed(gateways, async (attempt) => {
      const from = `127.0.3.${attempt}`
      const list = []
      for (const turn of [0, 1, 0, 1, 0, 0, 1] as const) list.push(await ask(gateways[turn], { from }))
      return list
    })
    expect(answers).toEqual(['200 4/5', '200 3/5', '200 2/5', '200 1/5', '200 0/5', '429 0/5', '429 0/5'])
  })

  it('so do tenants, each with its own limit', async () => {
    const tenants = Object.fromEntries(
      [1, 2, 3, 4, 5].flatMap((n) => [
        [`large${n}`, { plan: 'large', keys: [`key-large-${n}`] }],
        [`small${n}`, { plan: 'small', keys: [`key-small-${n}`] }],
      ]),
    )
    const gateways = await two(['--tenants', tenantsFile({ ...FILE, tenants })])
    const answers = await undisturbed(gateways, async (n) => [
      await ask(gateways[0], { key: `key-large-${n}` }),
      await ask(gateways[1], { key: `key-large-${n}` }),
      await ask(gateways[1], { key: `key-small-${n}` }),
    ])
    expect(answers).toEqual(['200 199/200', '200 198/200', '200 9/10'])
  })
})

describe('--tenants', () => {
  it('ships with key-abc123 for 200 and key-xyz789 for 10', async () => {
    const gateway = await startGateway(['--tenants', SHIPPED])
    expect(await ask(gateway, { key: 'key-abc123' })).toBe('200 199/200')
    expect(await ask(gateway, { key: 'key-xyz789' })).toBe('200 9/10')
    expect(await ask(gateway, { key: 'key-abc123', profile: 'probe' })).toBe('200 -/-')
  })

  it('an unknown key is counted by the address that it comes from, however often it changes', async () => {
    const gateway = await startGateway(['--tenants', tenantsFile(FILE), '--trusted-proxies', 'loopback'])
    const one = { forwarded: '198.51.100.1, 203.0.113.7' }
    const another = { forwarded: '198.51.100.2, 203.0.113.7' }
    expect(await ask(gateway, { key: 'made-up-1', ...one })).toBe('200 2/3')
    // The left-most is what the client wrote: it changes nothing.
    expect(await ask(gateway, { key: 'made-up-2', ...another })).toBe('200 1/3')
    expect(await ask(gateway, { ...another })).toBe('200 0/3')
    expect(await ask(gateway, { key: 'made-up-3', ...one })).toBe('429 0/3')
    expect(await ask(gateway, { forwarded: '203.0.113.8' })).toBe('200 2/3')
  })

  it('the flags of a limit are for those who are no tenant', async () => {
    const gateway = await startGateway(['--tenants', tenantsFile(FILE), '--rate', '7', '--window', '1h'])
    expect(await ask(gateway)).toBe('200 6/7')
    expect(await ask(gateway, { key: 'key-xyz789' })).toBe('200 9/10')
  })

  it('a file with a fault is said, with exit code 1', async () => {
    const file = tenantsFile({ ...FILE, tenants: { acme: { plan: 'gold' } } })
    const { code, output } = await runGateway(['--tenants', file])
    expect(code).toBe(1)
    expect(output).toBe(
      `gateway: ${file}: tenants.acme.plan: names no plan "gold"; plans are anonymous, large, small\n`,
    )
  })

  it('is read again on SIGHUP, and a file with a fault is refused', async () => {
    const file = tenantsFile(FILE)
    const gateway = await startGateway(['--tenants', file])
    writeFileSync(file, JSON.stringify({ ...FILE, default: 'small' }))
    gateway.process.kill('SIGHUP')
    await waitUntil(() => gateway.output().includes('default plan anonymous → small'), {
      what: 'it is in force',
    })
    expect(await ask(gateway)).toBe('200 9/10')
    writeFileSync(file, '{"default":')
    gateway.process.kill('SIGHUP')
    await waitUntil(() => gateway.output().includes('refused, what was in force stays'), {
      what: 'it is refused',
    })
    expect(await ask(gateway)).toBe('200 8/10')
    expect(gateway.output()).not.toContain('key-')
  })
})

describe('/metrics', () => {
  it('counts requests by tenant and result, without a limit and without a key', async () => {
    const gateway = await startGateway(['--tenants', tenantsFile(FILE)])
    for (const key of ['key-xyz789', 'key-xyz789', 'made-up', 'made-up-2', 'made-up-3', 'made-up-4'])
      await ask(gateway, { key })
    await ask(gateway, { key: 'key-abc123', profile: 'probe' })
    const { status, body, fields } = await send(gateway.target, '/metrics')
    expect([status, fields['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
    expect(fields).not.toHaveProperty('ratelimit')
    expect(
      body
        .split('\n')
        .filter((line) => line.startsWith('ratelimiter_'))
        .sort(),
    ).toEqual([
      'ratelimiter_redis_errors_total 0',
      'ratelimiter_requests_total{tenant="Acme",result="skipped"} 1',
      'ratelimiter_requests_total{tenant="Zenith",result="allowed"} 2',
      'ratelimiter_requests_total{tenant="default",result="allowed"} 3',
      'ratelimiter_requests_total{tenant="default",result="denied"} 1',
    ])
    expect(body).toContain(
      'rl_rate_limiting_requests_total{limiter="default",policy="1h",source="store",result="refused"} 1',
    )
    expect(body).not.toMatch(/made-up|key-/)
  })
})

describe('flags', () => {
  it.each([
    [['--trusted-proxies', '10.0.0.0/33'], 'got "10.0.0.0/33"'],
    [['--trusted-proxies', ''], 'got ""'],
    [['--upstream', 'localhost:8080'], '--upstream takes an http:// or https:// URL'],
    [
      ['--upstream', 'http://user:pw@localhost/'],
      '--upstream takes an http:// or https:// URL without a login',
    ],
    [['--upstream', 'http://a', '--upstream-timeout', 'soon'], '--upstream-timeout takes a time such as 30s'],
    [['--tenants', ''], '--tenants takes the path of a JSON file'],
  ])('%j is answered with what is wrong', (flags, message) => {
    expect(() => readFlags(flags)).toThrow(message)
  })
})
