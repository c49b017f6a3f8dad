import { once } from 'node:events'
import { fixedWindow, slidingLog } from '@rl/core'
import { connectRedis } from '@rl/core/ioredis'
import { redisStore } from '@rl/core/redis'
import express from 'express'
import Koa from 'koa'
import { describe, expect, it, onTestFinished } from 'vitest'
import { send } from '../support/http-client.js'
import { useServer } from '../support/use-redis.js'
import { serveExpress } from './express-app.js'
import { serveFastify } from './fastify-app.js'
import { serveHono } from './hono-app.js'
import { serveKoa } from './koa-app.js'
import type { Mount, Serve, Served } from './served.js'

const frameworks: readonly (readonly [name: string, serve: Serve])[] = [
  ['Express', serveExpress(express)],
  ['Koa', serveKoa(Koa)],
  ['Hono', serveHono],
  ['Fastify', serveFastify],
]

describe('several frameworks on one Redis', () => {
  const redis = useServer()

  /** One application in each framework, each with a connection of its own, behind a limit that they share. */
  function serveAll(name: string, limit: number, options: Partial<Mount> = {}): Promise<readonly Served[]> {
    return Promise.all(
      frameworks.map(async ([, serve]) => {
        const client = connectRedis(redis().url)
        await once(client, 'ready')
        // Longer than any pause of a busy machine: nothing is to be decided without Redis here.
        const store = redisStore({ client, deadlineMs: 10_000 })
        const mount: Mount = { limit: slidingLog({ limit, window: '1h' }), store, name, ...options }
        const served = await serve({ app: [mount] })
        onTestFinished(async () => {
          await served.close()
          client.disconnect()
        })
        return served
      }),
    )
  }

  it('share one limit exactly: of two hundred requests at once fifty pass', async () => {
    const apps = await serveAll('at-once', 50)
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => send(apps[i % apps.length]!.target, '/ok')),
    )
    const allowed = answers.filter(({ status }) => status === 200)
    const left = allowed.map(({ fields }) => Number(/;r=(\d+)/.exec(fields.ratelimit ?? '')?.[1]))
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(150)
  })

  it('one after the other, each goes on where the last one stopped, with the same field', async () => {
    const apps = await serveAll('in-turn', 5)
    const seen = []
    for (const { target } of [...apps, ...apps]) {
      const { status, fields } = await send(target, '/ok')
      seen.push([status, fields.ratelimit?.replace(/;t=\d+/, '')])
    }
    expect(seen).toEqual([
      [200, '"in-turn:1h";r=4'],
      [200, '"in-turn:1h";r=3'],
      [200, '"in-turn:1h";r=2'],
      [200, '"in-turn:1h";r=1'],
      [200, '"in-turn:1h";r=0'],
      [429, '"in-turn:1h";r=0'],
      [429, '"in-turn:1h";r=0'],
      [429, '"in-turn:1h";r=0'],
    ])
  })

  it('one client is one key in Redis, whatever framework it comes to', async () => {
    const apps = await serveAll('keys', 9, { limit: '9/1h' })
    for (const { target } of apps) await send(target, '/ok')
    expect(await redis().command('KEYS', 'rl:keys:*')).toEqual(['rl:keys:{127.0.0.1}'])
  })

  it('B43, B44: seconds are seconds, as with a memory store, in every field of every framework', async () => {
    const limit = fixedWindow({ limit: 0, window: '1h' })
    const apps = await serveAll('units', 0, { limit, headers: ['draft-7', 'legacy'] })
    const answers = await Promise.all(apps.map(({ target }) => send(target, '/ok')))
    const hour = Math.ceil(Date.now() / 3_600_000) * 3600
    for (const { status, fields } of answers) {
      expect(status).toBe(429)
      expect(fields).toMatchObject({ 'ratelimit-policy': '0;w=3600', 'x-ratelimit-limit': '0' })
      expect(Math.abs(Number(fields['x-ratelimit-reset']) - hour)).toBeLessThanOrEqual(3600)
      expect(Number(/reset=(\d+)$/.exec(fields.ratelimit ?? '')?.[1])).toBeLessThanOrEqual(3600)
    }
  })
})
