import { once } from 'node:events'
import type { Outcome } from '@rl/core/http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Http2Client, http2Client } from '../support/http2-client.js'
import { limitFields } from './adapter-answers.js'
import { limitAtNoon } from './at-noon.js'
import type { App, Mount, Serve } from './served.js'

/** Row 68: what an adapter is where its framework serves HTTP/2. */
export function describeHttp2(name: string, serve: Serve): void {
  async function connected(app: App) {
    const served = await serve({ ...app, listen: 'http2' })
    const client = http2Client(served.target)
    onTestFinished(async () => {
      client.close()
      await served.close()
    })
    return { ...served, client }
  }

  async function endingOf(
    mount: Mount,
    drive: (client: Http2Client) => Promise<unknown>,
  ): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    const onDone = (_ctx: unknown, outcome: Outcome) => outcomes.push(outcome)
    const { client } = await connected({ app: [{ ...mount, onDone }] })
    await drive(client)
    await vi.waitFor(() => expect(outcomes).not.toEqual([]))
    return outcomes
  }

  describe(`${name} over HTTP/2`, () => {
    it('row 68: a hundred streams at once on one connection count one by one', async () => {
      const { client, results } = await connected({ app: [limitAtNoon(30)] })
      const answers = await Promise.all(Array.from({ length: 100 }, () => client.send('/ok')))
      const statuses = answers.map(({ status }) => status)
      expect(statuses.filter((status) => status === 200)).toHaveLength(30)
      expect(statuses.filter((status) => status === 429)).toHaveLength(70)
      expect(results).toHaveLength(30)
    })

    it('the fields are those of HTTP/1, and the key is the address', async () => {
      const { client, results } = await connected({ app: [limitAtNoon(1)] })
      const [allowed, refused] = [await client.send('/ok'), await client.send('/ok')]
      expect(limitFields(allowed)).toEqual({
        'ratelimit-policy': '"1m";q=1;w=60',
        ratelimit: '"1m";r=0;t=60',
      })
      expect(limitFields(refused)).toEqual({
        'ratelimit-policy': '"1m";q=1;w=60',
        ratelimit: '"1m";r=0;t=60',
        'retry-after': '60',
        'cache-control': 'no-store',
      })
      expect([refused.status, refused.fields['content-type']]).toEqual([429, 'application/problem+json'])
      expect(results).toMatchObject([{ key: '127.0.0.1' }])
    })

    it('row 87: errors of the handler keep the fields', async () => {
      const { client } = await connected({ app: [limitAtNoon(3)] })
      const answer = await client.send('/throws')
      expect([answer.status, answer.fields.ratelimit]).toEqual([500, '"1m";r=2;t=60'])
    })

    it.each([
      ['/ok', 200],
      ['/throws', 500],
      ['/streams', 200],
    ])('onDone is told once of %s', async (path, status) => {
      const outcomes = await endingOf(limitAtNoon(3), (client) => client.send(path))
      expect(outcomes).toMatchObject([{ status, aborted: false, result: { used: 1 } }])
    })

    it('onDone is told once of a client that leaves in the middle of an answer', async () => {
      const outcomes = await endingOf(limitAtNoon(3), async (client) => {
        const stream = client.open('/hangs')
        await once(stream, 'data')
        stream.close(8)
      })
      expect(outcomes).toMatchObject([{ status: 200, aborted: true, result: { used: 1 } }])
    })
  })
}
