// Runs one consumer for real and prints what its callers saw: node drive.mjs esm-js/app.js
import { once } from 'node:events'

const { app, limiter } = await import(`./${process.argv[2]}`)

const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
const answers = []
for (let call = 0; call < 3; call++) {
  const { status, headers } = await fetch(`http://127.0.0.1:${server.address().port}/`)
  answers.push({ status, limited: headers.has('ratelimit'), retryAfter: headers.has('retry-after') })
}
server.close()

const decisions = []
for (let call = 0; call < 2; call++) {
  const { allowed, counted } = await limiter.consume('a')
  decisions.push({ allowed, counted })
}
await limiter.close()
console.log(JSON.stringify({ answers, decisions }))
