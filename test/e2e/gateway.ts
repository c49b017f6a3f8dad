import { onTestFinished } from 'vitest'
import { inRoot } from '../scripts/workspace.mjs'
import { freePort } from '../support/free-port.js'
import { send, type Target } from '../support/http-client.js'
import { type Program, startProgram } from '../support/program.js'
import { waitUntil } from '../support/wait-until.js'

/** The gateway in a process of its own. */
export interface Gateway extends Program {
  readonly target: Target & { readonly port: number }
  /** Waits until nobody listens there any more. */
  isClosed(): Promise<boolean>
}

/** Starts it on a free port, and returns when it has said what to try. It ends with the test. */
export async function startGateway(flags: readonly string[] = [], program?: string): Promise<Gateway> {
  const port = await freePort()
  const gateway = run(['--addr', `127.0.0.1:${port}`, ...flags], program)
  const welcomed = new Promise<void>((resolve) => {
    gateway.process.stdout?.on('data', () => {
      if (gateway.output().includes('Ctrl-C stops it.')) resolve()
    })
  })
  const failed = gateway.ended.then((code) => {
    throw new Error(`the gateway ended with ${code}\n${gateway.output()}`)
  })
  await Promise.race([welcomed, failed])
  failed.catch(() => {})
  const target = { host: '127.0.0.1', port }
  return { ...gateway, target, isClosed: () => closed(target) }
}

const TRIES = 5

/**
 * What came of a scenario in which every decision was made by Redis. On a machine that stands still for 50 ms one is made
 * without it, as is promised; then it is tried again.
 */
export async function undisturbed<T>(
  gateways: readonly Gateway[],
  scenario: (attempt: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const before = await Promise.all(gateways.map(redisErrors))
    const result = await scenario(attempt)
    const after = await Promise.all(gateways.map(redisErrors))
    if (String(before) === String(after)) return result
  }
  throw new Error(`in ${TRIES} tries the machine was never fast enough for Redis`)
}

/** How many calls to Redis have failed. */
export async function redisErrors({ target }: Gateway): Promise<number> {
  const { body } = await send(target, '/metrics')
  return Number(/^ratelimiter_redis_errors_total (\d+)$/m.exec(body)?.[1])
}

/** Runs it to its end: with flags that it does not take. */
export async function runGateway(flags: readonly string[]): Promise<{ code: number | null; output: string }> {
  const { ended, output } = run(flags)
  return { code: await ended, output: output() }
}

function run(flags: readonly string[], file = inRoot('examples/gateway/dist/main.js')): Program {
  const program = startProgram(file, flags)
  onTestFinished(async () => {
    program.kill('SIGKILL')
    await program.ended
  })
  return program
}

function closed(target: Target): Promise<boolean> {
  const isRefused = async () => {
    const error: unknown = await send(target, '/health').catch((error: unknown) => error)
    return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED'
  }
  return waitUntil(isRefused, { what: 'the port is closed' })
}
