import koa2 from 'koa2'
import { describeAdapter } from './adapter.js'
import { serveKoa } from './koa-app.js'

describeAdapter('Koa 2', serveKoa(koa2))
