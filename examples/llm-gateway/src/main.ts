import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { connectRedis } from '@rl/core/ioredis'
import { redisStore } from '@rl/core/redis'
import type { Redis } from 'ioredis'
import { getGlobalDispatcher } from 'undici'
import { urlOf } from './address.js'
import { createApp } from './app.js'
import { noLog, printLine } from './chat/chat-log.js'
import { type Profiles, readConfig } from './config.js'
import { type Flags, readFlags, USAGE } from './flags.js'
import { Limits } from './limits/limits.js'
import { Upstreams } from './upstream/upstreams.js'
import { anybody, usersIn } from './users/users.js'
import { within } from './within.js'

if (process.argv.includes('--help')) {
  console.log(USAGE.trimEnd())
  process.exit(0)
}
const flags = orExit(() => readFlags(process.argv.slice(2)), USAGE)
const profiles: Profiles = orExit(() => (flags.config === undefined ? new Map() : readConfig(flags.config)))
const client: Redis | undefined = flags.redis === undefined ? undefined : connectRedis(flags.redis)
await connected()
const store = client && redisStore({ client, prefix: 'llm', deadlineMs: flags.deadlineMs })
const limits = new Limits(store)
const app = createApp({
  ...flags,
  profiles,
  limits,
  store,
  findUser: client === undefined ? anybody : usersIn(client),
  upstreams: new Upstreams(flags.upstreams),
  timeoutMs: flags.upstreamTimeoutMs,
  log: flags.log ? printLine : noLog,
})
const server = createAdaptorServer({ fetch: app.fetch }) as Server
// A client that never ends its request does not keep its connection.
server.requestTimeout = 30_000
server.listen(flags.address)
await listening()
// Not `once`: a Ctrl-C may reach this process twice, and the second must not cut the first short.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop())
console.log(welcome(server.address() as AddressInfo, flags))

function orExit<T>(read: () => T, usage = ''): T {
  try {
    return read()
  } catch (error) {
    console.error(`llm-gateway: ${(error as Error).message}\n\n${usage}`.trimEnd())
    process.exit(2)
  }
}

/** Whoever comes first shall be known. A Redis that is away is waited for later, while others are served. */
async function connected(): Promise<void> {
  if (client === undefined) return
  const ready = new Promise((resolve) => client.once('ready', resolve))
  await within(2000, ready).catch(() => console.error(`llm-gateway: ${flags.redis} can not be reached yet`))
}

async function listening(): Promise<void> {
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const advice = code === 'EADDRINUSE' ? '. Something listens there already: give another --addr' : ''
    console.error(`llm-gateway: ${message}${advice}`)
    process.exit(1)
  }
}

function welcome({ port }: AddressInfo, { address, redis, upstreams }: Flags): string {
  const at = urlOf('http', { host: address.host ?? 'localhost', port })
  const counts =
    redis === undefined
      ? 'NOTHING IS LIMITED and any API key is taken, as there is no --redis-addr'
      : `counts in ${redis}`
  return `llm-gateway: ${at} before ${upstreams.join(', ')}; ${counts}`
}

/** No new connection; what is under way gets five seconds, and what was reserved is settled. */
async function stop(): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  setInterval(() => server.closeIdleConnections(), 50).unref()
  setTimeout(() => server.closeAllConnections(), 5000).unref()
  await closed
  await limits.idle()
  client?.disconnect()
  // Connections to model servers are kept alive, and this process with them.
  await getGlobalDispatcher().destroy()
}
