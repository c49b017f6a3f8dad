import express from 'express'
import express4 from 'express4'
import Koa from 'koa'
import koa2 from 'koa2'
import { serveExpress } from '../contract/express-app.js'
import { serveFastify } from '../contract/fastify-app.js'
import { serveHono } from '../contract/hono-app.js'
import { serveKoa } from '../contract/koa-app.js'
import type { Serve } from '../contract/served.js'

/** The application of the adapters' contract in every framework. */
export const FRAMEWORKS: Readonly<Record<string, Serve>> = {
  'Express 5': serveExpress(express),
  'Express 4': serveExpress(express4 as unknown as typeof express),
  'Koa 3': serveKoa(Koa),
  'Koa 2': serveKoa(koa2),
  Hono: serveHono,
  Fastify: serveFastify,
}
