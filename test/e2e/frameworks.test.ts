import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from '../scripts/setup.mjs'
import { inRoot } from '../scripts/workspace.mjs'
import { guard, unguard } from '../support/guardian.js'
import { type Answer, send, type Target } from '../support/http-client.js'

beforeAll(() => ensureBuilt(), 180_000)

/** An example in a process of its own, on a port that it chose. */
interface Running {
  readonly process: ChildProcess
  readonly target: Target
  readonly exit: Promise<number | null>
}

async function start(name: string): Promise<Running> {
  const env = { ...process.env, PORT: '0' }
  const child = spawn(process.execPath, [inRoot('examples', name, 'dist/main.js')], { env })
  const pid = child.pid ?? 0
  guard(pid)
  const exit = once(child, 'close').then(([code]): number | null => {
    unguard(pid)
    return code
  })
  let text = ''
  child.stderr.on('data', (part) => {
    text += part
  })
  const failed = exit.then((code) => Promise.reject(new Error(`${name} ended with ${code}\n${text}`)))
  failed.catch(() => {})
  const [line] = await Promise.race([once(child.stdout, 'data'), failed])
  const port = Number(/^\w+: http:\/\/localhost:(\d+)\n$/.exec(String(line))?.[1])
  return { process: child, target: { host: '127.0.0.1', port }, exit }
}

describe.each(['express', 'koa', 'hono', 'fastify'])('examples/%s', (name) => {
  let running: Running
  beforeAll(async () => {
    running = await start(name)
  }, 60_000)
  afterAll(() => running?.process.kill('SIGKILL'))

  const login = async (user: string): Promise<string> => {
    const { body } = await send(running.target, `/token?user=${user}`, { method: 'POST' })
    return JSON.parse(body).token
  }
  const me = (token: string, from?: string): Promise<Answer> => {
    const headers = { authorization: `Bearer ${token}` }
    return send(running.target, '/me', from === undefined ? { headers } : { headers, from })
  }
  const left = ({ fields }: Answer) => fields.ratelimit?.replaceAll(/;t=\d+/g, '')

  // In order: they are one client's day.
  it('who has a token is served, and told of both limits', async () => {
    const answer = await me(await login('ann'))
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.body)).toEqual({ user: 'ann', left: 4 })
    expect(answer.fields['ratelimit-policy']).toBe('"address:1m";q=20;w=60, "user:1m";q=5;w=60')
    expect(left(answer)).toBe('"address:1m";r=18, "user:1m";r=4')
  })

  it('a user has five a minute, from any address, and another user has their own', async () => {
    const [ann, bob] = [await login('ann'), await login('bob')]
    const statuses = []
    for (const from of ['127.0.0.2', '127.0.0.3', '127.0.0.2', '127.0.0.3', '127.0.0.4'])
      statuses.push((await me(ann, from)).status)
    const refused = await me(ann, '127.0.0.4')
    expect(statuses).toEqual([200, 200, 200, 200, 429])
    expect(JSON.parse(refused.body)).toMatchObject({ status: 429, 'violated-policies': ['user:1m'] })
    expect((await me(bob, '127.0.0.2')).status).toBe(200)
  })

  it('who guesses tokens gets 401 until the address is used up, and then 429', async () => {
    const statuses = []
    for (let guess = 0; guess < 21; guess++) statuses.push((await me(`guess-${guess}`, '127.0.0.9')).status)
    expect(statuses).toEqual([...Array(20).fill(401), 429])
    expect((await me(await login('ann'), '127.0.0.9')).status).toBe(429)
  })

  it('ends in good order', async () => {
    running.process.kill('SIGTERM')
    expect(await running.exit).toBe(0)
  })
})
