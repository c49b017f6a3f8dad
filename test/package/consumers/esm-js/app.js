import { getConnInfo } from '@hono/node-server/conninfo'
import { createLimiter, slidingWindow } from '@rl/core'
import * as forExpress from '@rl/express'
import * as forFastify from '@rl/fastify'
import * as forHono from '@rl/hono'
import * as forKoa from '@rl/koa'
import express from 'express'
import { fastify } from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'

export const apps = {
  express: express().use(forExpress.rateLimit({ limit: '2/1m' })),
  koa: new Koa().use(forKoa.rateLimit({ limit: '2/1m' })),
  hono: new Hono().use(forHono.rateLimit({ limit: '2/1m', getConnInfo })),
  fastify: fastify().register(forFastify.rateLimit, { limit: '2/1m' }),
}
apps.express.get('/', (_req, res) => res.send('hello'))
apps.koa.use((ctx) => {
  ctx.body = 'hello'
})
apps.hono.get('/', (c) => c.text('hello'))
apps.fastify.get('/', () => 'hello')

export const limiter = createLimiter({ limit: slidingWindow({ limit: 1, window: '1m' }) })
