import Koa from 'koa'
import koa2 from 'koa2'
import { describeHttp2 } from './adapter-http2.js'
import { serveFastify } from './fastify-app.js'
import { serveHono } from './hono-app.js'
import { serveKoa } from './koa-app.js'

// Express does not serve HTTP/2, neither 4 nor 5: it takes a request for one of HTTP/1, and fails.
describeHttp2('Koa 2', serveKoa(koa2))
describeHttp2('Koa 3', serveKoa(Koa))
describeHttp2('Hono', serveHono)
describeHttp2('Fastify', serveFastify)
