import { getConnInfo } from '@hono/node-server/conninfo'
import { createLimiter, type Decision, slidingWindow } from '@rl/core'
import { connectRedis } from '@rl/core/ioredis'
import { redisStore } from '@rl/core/redis'
import * as forExpress from '@rl/express'
import * as forFastify from '@rl/fastify'
import * as forHono from '@rl/hono'
import * as forKoa from '@rl/koa'
import express, { type Request, type Response } from 'express'
import { fastify } from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'

const expressApp = express()
expressApp.use(forExpress.rateLimit({ limit: '2/1m' }))
expressApp.get('/', (_req: Request, res: Response) => {
  res.send('hello')
})

const koa = new Koa()
koa.use(forKoa.rateLimit({ limit: '2/1m' })).use((ctx) => {
  const { key }: forKoa.RateLimitResult = ctx.state.rateLimit
  ctx.body = `hello ${key}`
})

const hono = new Hono().use(forHono.rateLimit({ limit: '2/1m', getConnInfo }))
hono.get('/', (c) => c.text(`hello ${forHono.getRateLimit(c)?.key}`))

const fastifyApp = fastify()
fastifyApp.register(forFastify.rateLimit, { limit: '2/1m' })
fastifyApp.get(
  '/',
  { config: { rateLimit: { limit: '9/1m' } } },
  (request) => `hello ${request.rateLimit?.key}`,
)

export const apps = { express: expressApp, koa, hono, fastify: fastifyApp }

export const limiter = createLimiter({ limit: slidingWindow({ limit: 1, window: '1m' }) })

export function inRedis() {
  return redisStore({ client: connectRedis('redis://127.0.0.1') })
}

export async function isCounted(): Promise<boolean> {
  const decision: Decision = await limiter.consume('typed')
  return decision.counted && decision.allowed
}
