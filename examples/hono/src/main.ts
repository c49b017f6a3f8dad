import { randomBytes } from 'node:crypto'
import { serve } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { rateLimit } from '@rl/hono'
import { type Context, Hono } from 'hono'
import { type JwtVariables, jwt, sign } from 'hono/jwt'

type Env = { Variables: JwtVariables<{ readonly sub: string }> }

// Without SECRET every start has one of its own, and tokens of an earlier one are worth nothing.
const secret = process.env.SECRET ?? randomBytes(32).toString('hex')

const app = new Hono<Env>()

// Before anything that costs: whoever guesses tokens is stopped here. Behind a proxy, say which: key: byIp({ trust: … }).
app.use(rateLimit({ name: 'address', limit: '20/1m', getConnInfo }))

// Stands for a login. A real one checks a password.
app.post('/token', async (c) => {
  return c.json({ token: await sign({ sub: c.req.query('user') ?? 'guest' }, secret, 'HS256') })
})

// From here on it is known who asks, and each has a limit of their own.
app.get(
  '/me',
  jwt({ secret, alg: 'HS256' }),
  rateLimit<Context<Env>>({ name: 'user', limit: '5/1m', key: (c) => c.var.jwtPayload.sub }),
  ({ var: { jwtPayload, rateLimit }, json }) =>
    json({ user: jwtPayload.sub, left: rateLimit.counted ? rateLimit.remaining : null }),
)

const server = serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) }, ({ port }) => {
  console.log(`hono: http://localhost:${port}`)
})
process.on('SIGTERM', () => server.close())
