import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { createApp } from './app.js'
import { type Flags, readFlags, USAGE } from './flags.js'
import { constantLimits, type Limits, sharedLimits } from './limits.js'

const flags = flagsOrExit()
const limits = await limitsOrExit()
const app = createApp(limits)
await listenOrExit(flags.host)
console.log(welcome(app.server.address() as AddressInfo))
// Not `once`: a Ctrl-C may reach this process twice, and the second must not cut the first short.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop())

function flagsOrExit(): Flags {
  try {
    return readFlags(process.argv.slice(2))
  } catch (error) {
    return exit(2, `${(error as Error).message}\n\n${USAGE}`)
  }
}

async function limitsOrExit(): Promise<Limits> {
  try {
    return flags.constant ? constantLimits() : await sharedLimits(flags)
  } catch (error) {
    // An option that core refuses: its message names it.
    return exit(2, (error as Error).message)
  }
}

async function listenOrExit(host: string): Promise<void> {
  try {
    await app.listen({ host, port: flags.port })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    // A machine without IPv6 has all its addresses here.
    if (host === '::' && code === 'EAFNOSUPPORT') return listenOrExit('0.0.0.0')
    const advice = code === 'EADDRINUSE' ? '. Something listens there already: give another --addr' : ''
    exit(1, `${message}${advice}`)
  }
}

function exit(code: number, message: string): never {
  console.error(`check-service: ${message}`)
  process.exit(code)
}

function welcome({ port }: AddressInfo): string {
  const host = flags.host === '::' || flags.host === '0.0.0.0' ? 'localhost' : flags.host
  const at = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  return `check-service: ${at} ${flags.constant ? 'counts nothing (--constant)' : `counts in ${place(flags.redis)}`}. Try:

  curl -i '${at}/check?client_id=ann&limit=5'
  curl -i ${at}/health

Ctrl-C stops it.`
}

/** Without the password. */
function place(redis: string): string {
  const { protocol, host } = new URL(redis)
  return `${protocol}//${host}`
}

let stopping: Promise<void> | undefined

/** No new connection; what is under way gets five seconds. */
function stop(): Promise<void> {
  stopping ??= close(app)
  return stopping
}

async function close(service: FastifyInstance): Promise<void> {
  setTimeout(() => service.server.closeAllConnections(), 5000).unref()
  await service.close()
  await limits.close()
}
