import { describeAdapter } from './adapter.js'
import { serveHono } from './hono-app.js'

describeAdapter('Hono', serveHono)
