const { getConnInfo } = require('@hono/node-server/conninfo')
const { createLimiter, slidingWindow } = require('@rl/core')
const forExpress = require('@rl/express')
const forFastify = require('@rl/fastify')
const forHono = require('@rl/hono')
const forKoa = require('@rl/koa')
const express = require('express')
const fastify = require('fastify')
const { Hono } = require('hono')
const Koa = require('koa')

const apps = {
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

const limiter = createLimiter({ limit: slidingWindow({ limit: 1, window: '1m' }) })

module.exports = { apps, limiter }
