import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureProgram, type ProgramName } from './ensure-program.js'
import { type Part, type PartPlan, startPart } from './part.js'
import { checkFree, type PortFlags } from './ports.js'
import { startWatchdog, type Watchdog } from './watchdog.js'

/** What a cluster has of its own. */
export interface ClusterPlan<Flags> {
  /** Of the example; begins the name of the directory. */
  readonly name: string
  /** Printed for `--help`, and to whoever gives flags that are none. */
  readonly usage: string
  /** Reads the command line; what it throws is printed with the usage, and the exit code is 2. */
  readonly readFlags: (args: readonly string[]) => Flags
  /** Brought where they are missing. */
  readonly programs: readonly ProgramName[]
  /** All that are to be free before anything starts. */
  readonly ports: (flags: Flags) => PortFlags
  readonly start: (cluster: Cluster, flags: Flags) => Promise<void>
  /** Printed when all is ready. */
  readonly welcome: (flags: Flags) => string
  /** What a SIGHUP does to the parts that run. @default all of them end, as with SIGTERM */
  readonly onHangup?: (parts: readonly Part[]) => void
}

/** The cluster while it starts. */
export interface Cluster {
  /** Makes a directory that is removed at the end. */
  folder(name: string): string
  /** Starts a part and waits until it is ready. One that ends by itself ends the rest: half a cluster would answer, and differently. */
  add(plan: PartPlan): Promise<void>
}

/** Starts Redis and what else the plan names, on this machine; all of them end together, and this process with them. */
export async function runCluster<Flags>(plan: ClusterPlan<Flags>): Promise<void> {
  const run = new Run()
  // Before anything runs: whoever stops this while it starts leaves nothing behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void run.stop(0))
  process.on('SIGHUP', () => (plan.onHangup === undefined ? void run.stop(0) : plan.onHangup(run.parts)))
  const flags = flagsOrExit(plan)
  run.open(plan.name)
  try {
    for (const program of plan.programs) ensureProgram(program)
    await checkFree(plan.ports(flags))
    await plan.start(run, flags)
    if (!run.isStopping) console.log(plan.welcome(flags))
  } catch (error) {
    if (!run.isStopping) console.error(`cluster: ${(error as Error).message}`)
    await run.stop(1)
  }
}

function flagsOrExit<Flags>({ readFlags, usage }: ClusterPlan<Flags>): Flags {
  if (process.argv.includes('--help')) {
    console.log(usage.trimEnd())
    process.exit(0)
  }
  try {
    return readFlags(process.argv.slice(2))
  } catch (error) {
    console.error(`cluster: ${(error as Error).message}\n\n${usage}`)
    process.exit(2)
  }
}

class Run implements Cluster {
  /** In the order of their start. */
  readonly parts: Part[] = []
  #dir = ''
  #watchdog: Watchdog | undefined
  #stopping: Promise<void> | undefined

  get isStopping(): boolean {
    return this.#stopping !== undefined
  }

  open(name: string): void {
    this.#dir = mkdtempSync(join(tmpdir(), `rl-${name}-`))
    this.#watchdog = startWatchdog(this.#dir)
  }

  folder(name: string): string {
    const path = join(this.#dir, name)
    mkdirSync(path)
    return path
  }

  async add(plan: PartPlan): Promise<void> {
    this.#goesOn()
    const part = startPart(plan)
    this.parts.push(part)
    this.#watchdog?.watch(this.parts.map(({ pid }) => pid))
    await part.ready
    this.#goesOn()
    void part.ended.then((how) => {
      if (this.isStopping) return
      console.error(`cluster: ${part.name} ${how}, so the rest is stopped`)
      void this.stop(1)
    })
  }

  /** Ends the parts, last started first, so that what is under way is still answered. */
  stop(code: number): Promise<void> {
    this.#stopping ??= this.#stopAll().then(() => process.exit(code))
    return this.#stopping
  }

  #goesOn(): void {
    if (this.isStopping) throw new Error('stopped while it started')
  }

  async #stopAll(): Promise<void> {
    for (const part of [...this.parts].reverse()) await part.stop()
    this.#watchdog?.watch([])
    if (this.#dir !== '') rmSync(this.#dir, { recursive: true, force: true })
  }
}
