import { getConnInfo } from '@hono/node-server/conninfo'
import { createLimiter, slidingWindow } from '@rl/core'
import * as forExpress from '@rl/express'
import * as forFastify from '@rl/fastify'
import * as forHono from '@rl/hono'
import * as forKoa from '@rl/koa'
import { fastify } from 'fastify'
import { Hono } from 'hono'

import express = require('express')
import Koa = require('koa')

const expressApp = express()
expressApp.use(forExpress.rateLimit({ limit: '2/1m' }))
expressApp.get('/', (_req: express.Request, res: express.Response) => {
  res.send('hello')
})

const koa = new Koa()
koa.use(forKoa.rateLimit({ limit: '2/1m' })).use((ctx) => {
  ctx.body = 'hello'
})

const hono = new Hono()
hono.use(forHono.rateLimit({ limit: '2/1m', getConnInfo })).get('/', (c) => c.text('hello'))

const fastifyApp = fastify()
fastifyApp.register(forFastify.rateLimit, { limit: '2/1m' })
fastifyApp.get('/', (request) => `hello ${request.rateLimit?.key}`)

export const apps = { express: expressApp, koa, hono, fastify: fastifyApp }

export const limiter = createLimiter({ limit: slidingWindow({ limit: 1, window: '1m' }) })
