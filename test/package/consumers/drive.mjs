// Runs one consumer for real and prints what its callers saw: node drive.mjs esm-js/app.js
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'

const { apps, limiter } = await import(`./${process.argv[2]}`)

const servers = {
  express: createServer(apps.express),
  koa: createServer(apps.koa.callback()),
  hono: createAdaptorServer(apps.hono),
  fastify: (await apps.fastify.ready()).server,
}

const answers = {}
for (const [framework, server] of Object.entries(servers)) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  answers[framework] = []
  for (let call = 0; call < 3; call++) {
    const { status, headers } = await fetch(`http://127.0.0.1:${server.address().port}/`)
    answers[framework].push({
      status,
      limited: headers.has('ratelimit'),
      retryAfter: headers.has('retry-after'),
    })
  }
  server.close()
}

const decisions = []
for (let call = 0; call < 2; call++) {
  const { allowed, counted } = await limiter.consume('a')
  decisions.push({ allowed, counted })
}
await limiter.close()
console.log(JSON.stringify({ answers, decisions }))
