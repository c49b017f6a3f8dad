import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApp } from './app.js'
import { type Flags, readFlags, USAGE } from './flags.js'
import { type Limits, limitsOf } from './limits.js'
import { createMetrics } from './metrics.js'
import { createProxy } from './proxy.js'
import { proxiesOf } from './proxy-headers.js'

if (process.argv.includes('--help')) {
  console.log(USAGE.trimEnd())
  process.exit(0)
}
const flags = flagsOrExit()
const limits = await limitsOrExit(flags)
const { trust, upstream } = flags
const metrics = createMetrics()
const proxy =
  upstream &&
  createProxy({ ...upstream, isProxy: proxiesOf(trust), onFailure: (kind) => metrics.upstreamFailed(kind) })
const app = createApp({ limits, metrics, proxy })
const server = createServer(app).listen({ host: flags.host, port: flags.port })
await listening(server)
// Not `once`: Ctrl-C reaches this process twice under `npm start`, and the second must not cut the first short.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(server, limits.close))
console.log(welcome(server.address() as AddressInfo, flags))

function flagsOrExit(): Flags {
  try {
    return readFlags(process.argv.slice(2))
  } catch (error) {
    console.error(`gateway: ${(error as Error).message}\n\n${USAGE}`)
    process.exit(2)
  }
}

async function limitsOrExit(flags: Flags): Promise<Limits> {
  try {
    return await limitsOf(flags)
  } catch (error) {
    console.error(`gateway: ${(error as Error).message}`)
    process.exit(1)
  }
}

async function listening(server: Server): Promise<void> {
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const advice = code === 'EADDRINUSE' ? '. Something listens there already: give another --addr' : ''
    console.error(`gateway: ${message}${advice}`)
    process.exit(1)
  }
}

function welcome({ port }: AddressInfo, { host = 'localhost', ...flags }: Flags): string {
  const { limit, window, redis, tenants } = flags
  const at = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  const who =
    tenants === undefined ? 'each client address' : `tenants what ${tenants} says, and each other address`
  const others = tenants === undefined || flags.isLimitGiven
  const what = others ? `${limit.limit} requests in ${window}` : 'what its default plan says'
  const pings = `'${at}/api/ping?[1-${limit.limit + 1}]'`
  return `gateway: ${at} allows ${who} ${what}, counted in ${redis ?? 'this process'}. Try:

  curl -i ${at}/api/ping
  curl -si -w '\\n' ${pings} | grep -iE '^(HTTP|RateLimit:|Retry-After)'
  curl -i -d hello ${at}/api/echo
  curl -i ${at}/health

${flags.upstream === undefined ? `or open ${at} in a browser` : `or anything else, which goes to ${flags.upstream.url}`}. Ctrl-C stops it.`
}

/** No new connection; what is under way gets five seconds, and its connection is not kept alive after it. */
function stop(server: Server, close: () => void): void {
  if (!server.listening) return
  server.close(close)
  setInterval(() => server.closeIdleConnections(), 50).unref()
  setTimeout(() => server.closeAllConnections(), 5000).unref()
}
