import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { guard, unguard } from './guardian.js'
import { readInfo } from './redis-info.js'
import { callRedis } from './resp.js'
import { waitUntil } from './wait-until.js'

/** What one life of a server needs; a restart uses the same again. */
export interface LaunchPlan {
  /** Name of the binary, looked up through PATH. */
  readonly program: string
  readonly port: number
  readonly dir: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Do not wait for the end of loading: the server answers `LOADING` when this returns. */
  readonly whileLoading: boolean
}

/** The server ended because another process listens on its port. */
export class PortTakenError extends Error {}

/**
 * Starts a server process and waits until it, and not another server on that port, answers PING.
 *
 * @throws PortTakenError, or Error with the end of the server's log.
 */
export async function launchRedis(plan: LaunchPlan): Promise<ChildProcess> {
  const child = spawnServer(plan)
  // Kept as a listener and not a promise: nobody may be waiting when it happens.
  let spawnError: Error | undefined
  child.once('error', (error) => {
    spawnError = error
  })
  const { pid } = child
  if (pid === undefined) {
    await waitUntil(() => spawnError, { what: `${plan.program} fails to start` })
    throw new Error(`${plan.program} cannot be started: is it installed and on PATH?`, { cause: spawnError })
  }
  guard(pid)
  child.once('exit', () => unguard(pid))
  try {
    await waitUntil(async () => hasEnded(child) || (await answers(plan, pid)), {
      what: `${plan.program} answers on port ${plan.port}`,
      timeoutMs: 10_000,
    })
    if (hasEnded(child)) throw startFailure(plan)
  } catch (error) {
    await endProcess(child)
    throw error
  }
  return child
}

/**
 * Ends a process and waits until it is gone: SIGKILL, which a frozen one obeys too, or SIGTERM with SIGKILL
 * after 2 s for a server that cannot stop (it runs an endless script, or waits for a replica).
 */
export async function endProcess(
  child: ChildProcess,
  signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL',
): Promise<void> {
  if (hasEnded(child)) return
  child.ref()
  const exit = once(child, 'exit')
  child.kill(signal)
  const patience = setTimeout(() => child.kill('SIGKILL'), 2000)
  await exit
  clearTimeout(patience)
}

/** Whether the process is over: by itself or by a signal. */
export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

function spawnServer({ program, port, dir, args, env }: LaunchPlan): ChildProcess {
  const config = join(dir, 'redis.conf')
  // Written once: a server may rewrite it (CONFIG REWRITE, sentinels), and a restart keeps that.
  if (!existsSync(config)) writeFileSync(config, baseConfig)
  const log = openSync(logOf(dir), 'a')
  try {
    const child = spawn(program, [config, '--port', String(port), ...args], {
      cwd: dir,
      detached: false,
      env: { ...process.env, ...env },
      stdio: ['ignore', log, log],
    })
    child.unref()
    return child
  } finally {
    closeSync(log)
  }
}

// Replicas follow at once, and an idle primary moves its offset each second: a cluster lists a replica only
// when that is above 0.
const baseConfig = `
bind 127.0.0.1
protected-mode yes
daemonize no
save ""
appendonly no
repl-diskless-sync yes
repl-diskless-sync-delay 0
repl-ping-replica-period 1
`

async function answers({ port, whileLoading }: LaunchPlan, pid: number): Promise<boolean> {
  const { process_id: answeringPid } = await readInfo(port, 'server')
  if (Number(answeringPid) !== pid) return false
  try {
    await callRedis(port, ['PING'])
  } catch (error) {
    if (!(whileLoading && error instanceof Error && error.message.startsWith('LOADING'))) throw error
  }
  return true
}

function startFailure({ program, port, dir }: LaunchPlan): Error {
  const log = readFileSync(logOf(dir), 'utf8').slice(-2000)
  const message = `${program} on port ${port} ended while it started. The end of its log:\n${log}`
  return /address already in use/i.test(log) ? new PortTakenError(message) : new Error(message)
}

function logOf(dir: string): string {
  return join(dir, 'redis.log')
}
