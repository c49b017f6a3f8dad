import { rmSync } from 'node:fs'
import { freePort } from './free-port.js'
import { scratchDir } from './guardian.js'
import { type CommandStat, readCommandStats, readInfo } from './redis-info.js'
import { endProcess, hasEnded, type LaunchPlan, launchRedis, PortTakenError } from './redis-process.js'
import { type Argument, callRedis, type Reply } from './resp.js'

/** What {@link startRedis} may be told. */
export interface RedisOptions {
  /** Command line arguments, as in `['--maxmemory', '3mb']`. */
  readonly args?: readonly string[]
  /** A fixed port, never 6379. @default a free one, another one when it was taken meanwhile */
  readonly port?: number
  /** A library to load into the server, such as a clock shim. */
  readonly preload?: Preload
  /** Name of the server binary on PATH. @default 'redis-server' */
  readonly program?: string
}

/** The environment that makes the loader put a library in front of a program. */
export interface Preload {
  readonly env: Readonly<Record<string, string>>
}

/** What a restart may be told. */
export interface RestartOptions {
  /** Return while the server still loads its data and answers LOADING. @default false */
  readonly whileLoading?: boolean
}

/** A real server of this test, on the loopback address. */
export interface RedisServer {
  readonly port: number
  /** Changes with a restart. */
  readonly pid: number
  readonly url: string
  readonly dir: string
  readonly state: 'running' | 'frozen' | 'dead'
  /** Ends the server for good and removes its directory. May be called twice. */
  stop(): Promise<void>
  /** SIGKILL; returns when the process is gone. The directory stays, for a restart. */
  kill(): Promise<void>
  /** SIGSTOP: connections stay open and are accepted, nothing is answered. */
  freeze(): void
  /** SIGCONT: what arrived meanwhile is run now. */
  thaw(): void
  /** Starts again on the same port and directory; a live server is first ended in good order (SIGTERM). */
  restart(options?: RestartOptions): Promise<void>
  /**
   * One command over a socket of its own; the parsed RESP2 reply. What belongs to a connection (MULTI, or
   * WAIT, which would wait for the writes of its own socket: none) cannot be had this way.
   *
   * @throws Error on an error reply, or without a reply within 5 s.
   */
  command(...args: readonly Argument[]): Promise<Reply>
  info(section?: string): Promise<Readonly<Record<string, string>>>
  /** Calls and cost by command name in lower case (`get`, `config|get`), since start or reset. */
  commandstats(): Promise<Readonly<Record<string, CommandStat>>>
  /** Sets {@link commandstats} back to nothing. */
  resetStats(): Promise<void>
}

const maxStarts = 10

/**
 * Starts a `redis-server` without persistence in a directory of its own and waits until it answers PING.
 *
 * Safe to call many times at once. The server dies with this process, however that ends.
 *
 * @throws Error with the end of the server's log when it does not start.
 */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  const { args = [], port: wanted, preload, program = 'redis-server' } = options
  if (wanted === 6379) throw new Error('Port 6379 may be a Redis that somebody uses: take another, or none')
  for (let start = 1; ; start++) {
    const port = wanted ?? (await freePort())
    const dir = scratchDir('redis')
    try {
      return await openServer({ program, port, dir, args, env: preload?.env ?? {}, whileLoading: false })
    } catch (error) {
      rmSync(dir, { recursive: true, force: true })
      const mayRetry = wanted === undefined && error instanceof PortTakenError && start < maxStarts
      if (!mayRetry) throw error
    }
  }
}

async function openServer(plan: LaunchPlan): Promise<RedisServer> {
  const { port, dir } = plan
  let child = await launchRedis(plan)
  let frozen = false
  const signal = (name: 'SIGSTOP' | 'SIGCONT'): void => {
    if (hasEnded(child) || !child.kill(name))
      throw new Error(`Redis on port ${port} is dead: no ${name} for it`)
    frozen = name === 'SIGSTOP'
  }
  const server: RedisServer = {
    port,
    dir,
    url: `redis://127.0.0.1:${port}`,
    get pid() {
      return child.pid ?? 0
    },
    get state() {
      if (hasEnded(child)) return 'dead'
      return frozen ? 'frozen' : 'running'
    },
    async stop() {
      await endProcess(child)
      rmSync(dir, { recursive: true, force: true })
    },
    kill: () => endProcess(child),
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    async restart({ whileLoading = false } = {}) {
      if (server.state === 'frozen') server.thaw()
      await endProcess(child, 'SIGTERM')
      child = await launchRedis({ ...plan, whileLoading })
      frozen = false
    },
    command: (...args) => callRedis(port, args),
    info: (section) => readInfo(port, section),
    commandstats: () => readCommandStats(port),
    async resetStats() {
      await callRedis(port, ['CONFIG', 'RESETSTAT'])
    },
  }
  return server
}
