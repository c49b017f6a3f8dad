import { Agent, createServer, get } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { rateLimit } from '@rl/express'
import type { Tenants } from '@rl/tenants'
import express from 'express'
import { expect, it, onTestFinished } from 'vitest'
import { listen } from '../contract/listen.js'
import type { Target } from '../support/http-client.js'
import { tenantsFile } from './tenants-file.js'

const CLIENTS = 16
const RELOADS = 200

/** Two states in which nothing is the same: name, policy, limit, and whether the profile has a limit at all. */
const STATES = [
  {
    default: 'p',
    plans: { p: { limit: { a: '1000000/1h' }, profiles: { x: null } } },
    tenants: { acme: { name: 'A', plan: 'p', keys: ['key-acme'] } },
  },
  {
    default: 'p',
    plans: { p: { limit: { b: '2000000/1h' }, profiles: { x: { bx: '3000000/1h' } } } },
    tenants: { acme: { name: 'B', plan: 'p', keys: ['key-acme'] } },
  },
]
/** The only answers that there may be, with and without the profile. */
const WHOLE = [
  '200 A "api:a";q=1000000;w=3600',
  '200 A none',
  '200 B "api:b";q=2000000;w=3600',
  '200 B "api:bx";q=3000000;w=3600',
]

it(`${RELOADS} reloads under load: no request is dropped, none is answered by two states of the file`, async () => {
  const file = tenantsFile(STATES[0])
  const tenants = await file.load({ watch: false })
  const { target, close } = await serve(tenants)
  onTestFinished(close)
  const traffic = startTraffic(target)
  for (let i = 1; i <= RELOADS; i++) {
    file.replace(STATES[i % 2])
    expect(await tenants.reload()).toBe(true)
  }
  const { sent, answers } = await traffic.stop()
  expect(Object.keys(answers).sort()).toEqual(WHOLE)
  expect(Object.values(answers).reduce((a, b) => a + b)).toBe(sent)
  expect(sent).toBeGreaterThan(RELOADS)
})

function serve(tenants: Tenants) {
  const app = express()
  const { key, ...others } = tenants.rules()
  // Room for a reload in the middle of a decision.
  const slowly: typeof key = async (ctx, view) => {
    await setImmediate()
    return key(ctx, view)
  }
  app.use(rateLimit({ ...others, key: slowly, name: 'api' }))
  app.get('/', (req, res) => {
    res.send(tenants.of(req)?.name)
  })
  return listen(createServer(app))
}

function startTraffic(target: Target) {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
  const answers: Record<string, number> = {}
  let sent = 0
  let isOver = false
  const client = async (profile: Record<string, string>) => {
    while (!isOver) {
      sent++
      const answer = await ask({ 'x-api-key': 'key-acme', ...profile })
      answers[answer] = (answers[answer] ?? 0) + 1
    }
  }
  const ask = (headers: Record<string, string>) =>
    new Promise<string>((resolve) => {
      const request = get({ ...target, path: '/', agent, headers }, (response) => {
        let body = ''
        response.setEncoding('utf8').on('data', (part: string) => {
          body += part
        })
        const policy = response.headers['ratelimit-policy'] ?? 'none'
        response.on('end', () => resolve(`${response.statusCode} ${body} ${policy}`))
      })
      request.on('error', (error) => resolve(String(error)))
    })
  const clients = Array.from({ length: CLIENTS }, (_, i) => client(i % 2 ? { 'config-profile': 'x' } : {}))
  return {
    async stop() {
      isOver = true
      await Promise.all(clients)
      agent.destroy()
      return { sent, answers }
    },
  }
}
