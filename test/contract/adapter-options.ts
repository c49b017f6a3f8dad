import { fixedWindow } from '@rl/core'
import { parseList } from 'structured-headers'
import { describe, expect, it } from 'vitest'
import { send } from '../support/http-client.js'
import { limitAtNoon } from './at-noon.js'
import type { Mount, Serve } from './served.js'

export function describeOptions(serve: Serve): void {
  const made = (mount: unknown) => serve({ app: [mount as Mount] })

  describe('options that would be no limit are refused when the application starts', () => {
    it.each([
      [Number.NaN],
      [-1],
      [0.5],
      [Number.POSITIVE_INFINITY],
      ['10'],
      [1e16],
      [null],
      [undefined],
      [{}],
    ])('row 81: limit %o', async (limit) => {
      const error = { code: 'RL_CONFIG', message: expect.stringMatching(/^limit: /) }
      await expect(made({ limit })).rejects.toMatchObject(error)
    })

    it.each([['-1/1m'], ['0.5/1m'], ['1e3/1m'], ['10/0s'], ['10/-1s'], ['10/1 fortnight'], ['10/'], ['/1m']])(
      'row 81: limit %o',
      async (limit) => {
        await expect(made({ limit })).rejects.toMatchObject({ code: 'RL_CONFIG' })
      },
    )

    it.each([
      ['row 84', { limit: '3/1m', windowMS: 60_000 }, /"windowMS"/],
      [
        'row 84',
        { limit: '3/1m', windowMs: 60_000 },
        /The window is part of the limit here: limit: "100\/1m"/,
      ],
      ['row 84', { max: 5 }, /Use limit: "100\/1m"/],
      ['row 84', { limit: '3/1m', keyGenerator: () => 'a' }, /Use key\./],
      ['row 84', { limit: '3/1m', handler: () => {} }, /Use onLimited\./],
      ['row 84', { limit: '3/1m', onLimitd: 'answers' }, /Did you mean "onLimited"\?/],
      ['row 36', { limit: '3/1m', trust: true }, /there is no option "trust"/],
      ['twice', { limit: '3/1m', headers: ['draft-6', 'draft-8'] }, /one field two meanings/],
    ])('%s: %o', async (_, mount, message) => {
      await expect(made(mount)).rejects.toThrow(message)
    })

    it.each([['my "best"'], ['límite'], ['a\r\nSet-Cookie: x=1'], [''], ['x'.repeat(5000)], [' '], ['{a}']])(
      'row 85: policy name and limiter name %j',
      async (name) => {
        const error = { code: 'RL_CONFIG', message: expect.stringContaining('is 1 to 64 of A-Z') }
        await expect(made({ limit: { [name]: '3/1m' } })).rejects.toMatchObject(error)
        await expect(made({ limit: '3/1m', name })).rejects.toMatchObject(error)
      },
    )
  })

  it('row 81: limit 0 blocks everything', async () => {
    const { target } = await serve({ app: [limitAtNoon(0)] })
    expect((await send(target, '/ok')).status).toBe(429)
  })

  it('row 86: of sixty policies on a request the sixteen closest are told', async () => {
    const app = [0, 1, 2, 3].map((part): Mount => {
      const policies = Array.from({ length: 15 }, (_, i) => [
        `p${part}-${i}`,
        fixedWindow({ limit: 100 + 15 * part + i, window: '1h' }),
      ])
      return { ...limitAtNoon(1), limit: Object.fromEntries(policies) }
    })
    const { target } = await serve({ app })
    const { status, fields } = await send(target, '/ok')
    expect(status).toBe(200)
    expect(parseList(fields.ratelimit!).map(([name]) => name)).toEqual([
      ...['p0-0', 'p0-1', 'p0-2', 'p0-3', 'p0-4', 'p0-5', 'p0-6', 'p0-7'],
      ...['p0-8', 'p0-9', 'p0-10', 'p0-11', 'p0-12', 'p0-13', 'p0-14', 'p1-0'],
    ])
    expect(fields.ratelimit!.length).toBeLessThan(1000)
  })
}
