import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import Router from '@koa/router'
import { rateLimit } from '@rl/koa'
import jsonwebtoken from 'jsonwebtoken'
import Koa from 'koa'
import jwt from 'koa-jwt'

// Without SECRET every start has one of its own, and tokens of an earlier one are worth nothing.
const secret = process.env.SECRET ?? randomBytes(32).toString('hex')

const app = new Koa()

// Before anything that costs: whoever guesses tokens is stopped here. Behind a proxy, say which: key: byIp({ trust: … }).
app.use(rateLimit({ name: 'address', limit: '20/1m' }))

const open = new Router()
// Stands for a login. A real one checks a password.
open.post('/token', (ctx) => {
  ctx.body = { token: jsonwebtoken.sign({ sub: String(ctx.query.user ?? 'guest') }, secret) }
})

const members = new Router()
// From here on it is known who asks, and each has a limit of their own.
members.use(jwt({ secret }))
members.use(rateLimit({ name: 'user', limit: '5/1m', key: (ctx) => ctx.state.user.sub }))
members.get('/me', (ctx) => {
  ctx.body = { user: ctx.state.user.sub, left: ctx.state.rateLimit.remaining }
})

app.use(open.routes()).use(members.routes())

const server = app.listen(Number(process.env.PORT ?? 3000))
await once(server, 'listening')
console.log(`koa: http://localhost:${(server.address() as AddressInfo).port}`)
process.on('SIGTERM', () => server.close())
