import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import jwt from '@fastify/jwt'
import { rateLimit } from '@rl/fastify'
import { fastify } from 'fastify'

declare module '@fastify/jwt' {
  interface FastifyJWT {
    user: { readonly sub: string }
  }
}

// Without SECRET every start has one of its own, and tokens of an earlier one are worth nothing.
const secret = process.env.SECRET ?? randomBytes(32).toString('hex')

const app = fastify()

// Before anything that costs: whoever guesses tokens is stopped here. Behind a proxy, say which: key: byIp({ trust: … }).
app.register(rateLimit, { name: 'address', limit: '20/1m' })
app.register(jwt, { secret })

// Stands for a login. A real one checks a password.
app.post<{ Querystring: { readonly user?: string } }>('/token', (request) => {
  return { token: app.jwt.sign({ sub: request.query.user ?? 'guest' }) }
})

// In here it is known who asks, and each has a limit of their own.
app.register(async (members) => {
  members.addHook('onRequest', (request) => request.jwtVerify())
  await members.register(rateLimit, { name: 'user', limit: '5/1m', key: (request) => request.user.sub })

  members.get('/me', ({ user, rateLimit }) => ({
    user: user.sub,
    left: rateLimit?.counted ? rateLimit.remaining : null,
  }))
})

await app.listen({ port: Number(process.env.PORT ?? 3000), host: '::' })
console.log(`fastify: http://localhost:${(app.server.address() as AddressInfo).port}`)
process.on('SIGTERM', () => app.close())
