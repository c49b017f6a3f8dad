import Koa from 'koa'
import { describeAdapter } from './adapter.js'
import { serveKoa } from './koa-app.js'

describeAdapter('Koa 3', serveKoa(Koa))
