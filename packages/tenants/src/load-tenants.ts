import { basename } from 'node:path'
import type { RequestView } from '@rl/core/http'
import { Callers } from './callers.js'
import { checkTenantsOptions } from './check-options.js'
import type { Caller } from './member.js'
import { TenantsFile } from './tenants-file.js'
import type { Rules, Tenants, TenantsLogger, TenantsOptions } from './types.js'
import { stateOf, type Watch, watchFile } from './watch-file.js'

const MAX_BYTES = 32 * 1024 * 1024

/**
 * Loads plans and tenants from a JSON file, and keeps to it: a change comes into force between two requests and as a
 * whole; a file with a fault is refused and what was in force stays.
 * @throws RateLimitError `RL_CONFIG` for wrong options, or naming the file's first fault.
 */
export async function loadTenants<Ctx = unknown>(
  file: string,
  options: TenantsOptions<Ctx> = {},
): Promise<Tenants<Ctx>> {
  checkTenantsOptions(file, options)
  const { watch = true, sighup = true, maxBytes = MAX_BYTES, logger = console } = options
  const reports = new Reports(file, logger)
  const source = new TenantsFile(file, maxBytes, (changes) => reports.inForce(changes))
  // Before it is read: what is written from now on is seen.
  const seen = await stateOf(file)
  await source.read()
  const tenants = new FileTenants<Ctx>(source, options)
  if (watch)
    tenants.follow(watchFile(file, seen, () => void reports.outcome(source.read(), { isAsked: false })))
  if (sighup) tenants.follow(onHangup(() => void reports.outcome(source.read(), { isAsked: true })))
  return tenants
}

class FileTenants<Ctx> implements Tenants<Ctx> {
  readonly #source: TenantsFile
  readonly #callers: Callers<Ctx>
  readonly #watches: Watch[] = []

  constructor(source: TenantsFile, options: TenantsOptions<Ctx>) {
    this.#source = source
    this.#callers = new Callers(() => source.snapshot, options)
  }

  readonly known = (key: string): boolean => this.#source.snapshot.find(key) !== undefined

  get size(): number {
    return this.#source.snapshot.tenants.size
  }

  rules(): Rules<Ctx> {
    return this.#callers.rules()
  }

  callerOf(view: RequestView, ctx: Ctx): Caller {
    return this.#callers.callerOf(view, ctx)
  }

  of(carrier: object): Caller | undefined {
    return this.#callers.of(carrier)
  }

  reload(): Promise<boolean> {
    return this.#source.read()
  }

  follow(watch: Watch): void {
    this.#watches.push(watch)
  }

  close(): void {
    for (const watch of this.#watches.splice(0)) watch.close()
  }
}

function onHangup(work: () => void): Watch {
  process.on('SIGHUP', work)
  return { close: () => void process.off('SIGHUP', work) }
}

/** Says what became of the file. */
class Reports {
  readonly #name: string
  readonly #logger: TenantsLogger
  #lastFault = ''

  constructor(file: string, logger: TenantsLogger) {
    this.#name = basename(file)
    this.#logger = logger
  }

  inForce(changes: string): void {
    this.#info(`${this.#name} is in force: ${changes}`)
  }

  /**
   * Of a reload that nobody waits for. One that was asked for tells also that nothing is different, or of the same fault once
   * more; one that was not, only when a fault was taken back.
   */
  async outcome(read: Promise<boolean>, { isAsked }: { readonly isAsked: boolean }): Promise<void> {
    try {
      const isDifferent = await read
      const isMended = this.#lastFault !== ''
      this.#lastFault = ''
      if (!isDifferent && (isAsked || isMended)) this.#info(`${this.#name} says nothing else than before`)
    } catch (error) {
      const { message } = error as Error
      if (message === this.#lastFault && !isAsked) return
      this.#lastFault = message
      this.#logger.error(`[rl] tenants: refused, what was in force stays: ${message}`)
    }
  }

  #info(text: string): void {
    const line = `[rl] tenants: ${text}`
    if (this.#logger.info === undefined) this.#logger.warn(line)
    else this.#logger.info(line)
  }
}
