import { createServer } from 'node:http'
import { byHeader, byIp, rateLimit } from '@rl/express'
import { collectRateLimits } from '@rl/prometheus'
import express, { type Express } from 'express'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listen } from '../contract/listen.js'
import { send, type Target } from '../support/http-client.js'
import { hostileClients } from './hostile.js'
import { samplesOf } from './samples.js'

const register = new Registry()
const collection = collectRateLimits({ register })
let server: { readonly target: Target; close(): Promise<void> }
beforeAll(async () => {
  server = await listen(createServer(application()))
})
afterAll(async () => {
  await server.close()
  collection.close()
})

/** One limit that all clients share, one for each address and one for each user. */
function application(): Express {
  const app = express()
  app.disable('x-powered-by').disable('etag')
  app.get('/metrics', async (_req, res) => {
    res.set('Content-Type', register.contentType).end(await register.metrics())
  })
  app.use(
    rateLimit({
      name: 'address',
      limit: { burst: '5/1s', daily: '100/1d' },
      key: byIp({ trust: 'loopback' }),
    }),
  )
  app.use(rateLimit({ name: 'user', limit: '10/1m', key: byHeader('x-user') }))
  app.use(rateLimit({ name: 'everyone', limit: '5/1d', key: () => 'everyone' }))
  app.use((_req, res) => {
    res.writeHead(204).end()
  })
  return app
}

async function scraped(): Promise<Readonly<Record<string, number>>> {
  const { body } = await send(server.target, '/metrics')
  return samplesOf(body)
}

it('a scrape after 50,000 hostile clients has as many series as after ten', async () => {
  expect(await hostileClients(server.target, 10)).toEqual({ 204: 5, 429: 5 })
  const few = await scraped()
  expect(await hostileClients(server.target, 50_000)).toEqual({ 429: 50_000 })
  const many = await scraped()
  expect(Object.keys(many)).toEqual(Object.keys(few))
  const series = Object.keys(many)
  console.log(`${series.length} series; of ${many[refused('everyone', '1d')]} refused`)
  expect(many[refused('everyone', '1d')]).toBe(50_005)
  expect(many['rl_rate_limiting_store_keys{limiter="user"}']).toBe(50_000)
  expect(series.filter((name) => /evil|\.7"|\\/.test(name))).toEqual([])
}, 40_000)

function refused(limiter: string, policy: string): string {
  return `rl_rate_limiting_requests_total{limiter="${limiter}",policy="${policy}",source="store",result="refused"}`
}
