import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { rateLimit } from '@rl/express'
import express, { type ErrorRequestHandler } from 'express'
import { expressjwt, type Request } from 'express-jwt'
import jsonwebtoken from 'jsonwebtoken'

// Without SECRET every start has one of its own, and tokens of an earlier one are worth nothing.
const secret = process.env.SECRET ?? randomBytes(32).toString('hex')

const app = express()

// Before anything that costs: whoever guesses tokens is stopped here. Behind a proxy, say which: key: byIp({ trust: … }).
app.use(rateLimit({ name: 'address', limit: '20/1m' }))

// Stands for a login. A real one checks a password.
app.post('/token', (req, res) => {
  res.json({ token: jsonwebtoken.sign({ sub: String(req.query.user ?? 'guest') }, secret) })
})

// From here on it is known who asks, and each has a limit of their own.
app.use(expressjwt({ secret, algorithms: ['HS256'] }))
app.use(rateLimit<Request>({ name: 'user', limit: '5/1m', key: (req) => req.auth?.sub }))

app.get('/me', (req: Request, res) => {
  res.json({ user: req.auth?.sub, left: res.locals.rateLimit.remaining })
})

app.use(((error, _req, res, next) => {
  if (res.headersSent) next(error)
  else res.status(error.status ?? 500).json({ error: error.status ? error.message : 'internal error' })
}) satisfies ErrorRequestHandler)

const server = app.listen(Number(process.env.PORT ?? 3000))
await once(server, 'listening')
console.log(`express: http://localhost:${(server.address() as AddressInfo).port}`)
process.on('SIGTERM', () => server.close())
