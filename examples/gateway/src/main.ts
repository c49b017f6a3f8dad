import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApp } from './app.js'
import { type Flags, readFlags, USAGE } from './flags.js'
import { limitsOf } from './limits.js'

const flags = flagsOrExit()
const { close, ...limits } = limitsOf(flags)
const server = createServer(createApp(limits)).listen({ host: flags.host, port: flags.port })
await listening(server)
// Not `once`: Ctrl-C reaches this process twice under `npm start`, and the second must not cut the first short.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(server, close))
console.log(welcome(server.address() as AddressInfo, flags))

function flagsOrExit(): Flags {
  try {
    return readFlags(process.argv.slice(2))
  } catch (error) {
    console.error(`gateway: ${(error as Error).message}\n\n${USAGE}`)
    process.exit(2)
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

function welcome({ port }: AddressInfo, { host = 'localhost', limit, window, redis }: Flags): string {
  const at = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  return `gateway: ${at} allows each client address ${limit.limit} requests in ${window}, counted in ${redis ?? 'this process'}. Try:

  curl -i ${at}/api/ping
  curl -si -w '\\n' '${at}/api/ping?[1-${limit.limit + 1}]' | grep -iE '^(HTTP|RateLimit:|Retry-After)'
  curl -i -d hello ${at}/api/echo
  curl -i ${at}/health

or open ${at} in a browser. Ctrl-C stops it.`
}

/** No new connection; what is under way gets five seconds, and its connection is not kept alive after it. */
function stop(server: Server, close: () => void): void {
  if (!server.listening) return
  server.close(close)
  setInterval(() => server.closeIdleConnections(), 50).unref()
  setTimeout(() => server.closeAllConnections(), 5000).unref()
}
