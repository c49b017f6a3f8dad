import { memoryStore, type Store } from '@rl/core'
import { byIp, byUser, firstOf } from '@rl/core/http'
import { describe, expect, it, vi } from 'vitest'
import { rawGet, send, sendRaw } from '../support/http-client.js'
import { limitFields } from './adapter-answers.js'
import { limitAtNoon, perMinute } from './at-noon.js'
import type { Mount, Serve } from './served.js'

const silent = { warn: () => {}, error: () => {} }
const trust = ['127.0.0.0/8', '10.0.0.0/8']
const PROXIED: Mount = { key: byIp({ trust, logger: silent }) }

/** A store, and how often it was asked. */
function watched() {
  const inner = memoryStore()
  const consume = vi.fn<Store['consume']>((charges, mode) => inner.consume(charges, mode))
  const store: Store = {
    consume,
    settle: (receipt, costs) => inner.settle(receipt, costs),
    reset: (subject) => inner.reset(subject),
    close: () => inner.close(),
  }
  return { store, consume }
}

export function describeLists(serve: Serve): void {
  /** The status of one request against a limit of none, with these header lines. */
  async function statusOf(mount: Mount, ...lines: readonly string[]): Promise<string> {
    const { target } = await serve({ app: [{ ...limitAtNoon(0), logger: silent, ...mount }] })
    return (await sendRaw(target, rawGet('/ok', ...lines))).slice(9, 12)
  }

  describe('who is allowed', () => {
    it('passes uncounted, without fields, and the store is not asked', async () => {
      const { store, consume } = watched()
      const allow = { ips: 'loopback' }
      const { target, results } = await serve({ app: [{ limit: perMinute(1), store, allow }] })
      const answer = await send(target, '/ok')
      expect([answer.status, limitFields(answer)]).toEqual([200, {}])
      expect(results).toMatchObject([{ counted: false, reason: 'exempt' }])
      expect(consume).not.toHaveBeenCalled()
    })

    it.each<[row: string, mount: Mount, lines: readonly string[], status: string]>([
      [
        'row 35',
        { ...PROXIED, allow: { ips: ['2001:0DB8::1'] } },
        ['X-Forwarded-For: 2001:db8:0:0::1'],
        '200',
      ],
      [
        'row 35',
        { ...PROXIED, allow: { ips: ['192.0.2.0/24'] } },
        ['X-Forwarded-For: ::ffff:192.0.2.1'],
        '200',
      ],
      ['row 31', { ...PROXIED, allow: { ips: ['::1'] } }, ['X-Forwarded-For: ::1'], '200'],
      ['row 31', { ...PROXIED, allow: { ips: ['::1'] } }, ['X-Forwarded-For: ::2'], '429'],
      ['row 18', { ...PROXIED, allow: { ips: trust } }, ['X-Forwarded-For: 127.0.0.1'], '429'],
      ['row 18', { ...PROXIED, allow: { ips: trust } }, ['X-Forwarded-For: unknown'], '429'],
      ['row 19', { ...PROXIED, allow: { ips: trust } }, ['Connection: X-Forwarded-For'], '429'],
      ['forged', { ...PROXIED, allow: { ips: '192.0.2.1' } }, ['X-Forwarded-For: 192.0.2.1, 6.6.6.6'], '429'],
      ['a proxy that is not known', { allow: { ips: 'loopback' } }, ['X-Forwarded-For: 6.6.6.6'], '429'],
      ['by key', { key: () => 7, allow: { keys: ['7'] } }, [], '200'],
      ['by another key', { key: () => 7, allow: { keys: ['77'] } }, [], '429'],
      ['by function', { allow: (_ctx, view) => view.header('x-probe') === '1' }, ['X-Probe: 1'], '200'],
      ['by function', { allow: { when: async () => false } }, [], '429'],
    ])('%s: %o, %j: %s', async (_, mount, lines, status) => {
      expect(await statusOf(mount, ...lines)).toBe(status)
    })
  })

  describe('who is denied', () => {
    it.each<[status: 403 | 429, body: string]>([
      [403, '{"type":"about:blank","title":"Forbidden","status":403,'],
      [
        429,
        '{"type":"https://iana.org/assignments/http-problem-types#abnormal-usage-detected",' +
          '"title":"Abnormal usage detected","status":429,',
      ],
    ])(
      'gets %i and problem details, no field and no Retry-After, and the store is not asked',
      async (status, body) => {
        const { store, consume } = watched()
        const deny = { ips: ['127.0.0.0/8'], status }
        const { target, results } = await serve({ app: [{ limit: perMinute(9), store, deny }] })
        const answer = await send(target, '/ok')
        expect([answer.status, limitFields(answer)]).toEqual([status, { 'cache-control': 'no-store' }])
        expect(answer.fields['content-type']).toBe('application/problem+json')
        expect(answer.body).toBe(`${body}"detail":"Requests of this client are not served."}`)
        expect(results).toEqual([])
        expect(consume).not.toHaveBeenCalled()
      },
    )

    it('gets 403 by default, in text where it prefers that, and to HEAD without a body', async () => {
      const { target } = await serve({ app: [{ ...limitAtNoon(9), deny: () => true }] })
      const answer = await send(target, '/ok', { headers: { accept: 'text/html' } })
      expect([answer.status, answer.fields['content-type']]).toEqual([403, 'text/plain; charset=utf-8'])
      expect(answer.body).toBe('Forbidden. Requests of this client are not served.\n')
      expect(await send(target, '/ok', { method: 'HEAD' })).toMatchObject({ status: 403, body: '' })
    })

    it.each<[string, Mount, readonly string[]]>([
      [
        'by the address behind the proxy',
        { ...PROXIED, deny: { ips: '192.0.2.0/24' } },
        ['X-Forwarded-For: 192.0.2.9'],
      ],
      [
        'by key',
        {
          key: firstOf(
            byUser((_ctx, view) => view.header('x-user')),
            byIp(),
          ),
          deny: { keys: ['user:mallory'] },
        },
        ['X-User: mallory'],
      ],
      ['although it is allowed', { allow: { ips: 'loopback' }, deny: { ips: 'loopback' } }, []],
      ['although it is skipped', { skip: () => true, deny: () => true }, []],
    ])('%s', async (_, mount, lines) => {
      expect(await statusOf(mount, ...lines)).toBe('403')
    })

    it('is answered by onLimited, where that is given', async () => {
      const { target } = await serve({
        app: [{ ...limitAtNoon(9), key: () => 'k', deny: { keys: ['k'] }, onLimited: 'answers' }],
      })
      expect(await send(target, '/ok')).toMatchObject({ status: 418, body: 'default:none k' })
    })

    it('keeps what a limiter further out has said', async () => {
      const { target } = await serve({
        app: [limitAtNoon(9)],
        route: [{ ...limitAtNoon(5), deny: () => true }],
      })
      const answer = await send(target, '/limited')
      expect([answer.status, answer.fields.ratelimit]).toEqual([403, '"1m";r=8;t=60'])
    })
  })

  it('a list that does not answer is an error of the application, never a pass', async () => {
    for (const name of ['allow', 'deny'] as const) {
      const { target, errors } = await serve({
        app: [{ ...limitAtNoon(9), [name]: () => undefined } as Mount],
      })
      expect([(await send(target, '/ok')).status, errors]).toMatchObject([500, [{ code: 'RL_CONFIG' }]])
    }
  })

  it.each<[unknown, RegExp]>([
    [{ allow: { ips: ['10.0.0.0/33'] } }, /^allow\.ips: takes addresses/],
    [{ deny: { ips: ['not-an-ip'] } }, /^deny\.ips: takes addresses/],
    [{ deny: { ips: 'private', status: 401 } }, /^deny\.status: is 403 or 429; got 401/],
    [{ allow: { ips: 'private' }, key: () => 'a' }, /^ips: need address: byIp\(…\)/],
    [{ allowList: ['10.0.0.1'] }, /Use allow\./],
  ])('row 36: %o is refused when the application starts', async (options, message) => {
    await expect(serve({ app: [{ limit: '3/1m', ...(options as Mount) }] })).rejects.toThrow(message)
  })
}
