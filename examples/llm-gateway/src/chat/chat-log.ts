/** How a chat request went. */
export interface ChatLine {
  readonly user: string
  readonly model: string
  /** `complete`, `refused` (by a limit), `failed` (no model server answered), `aborted` or `cut`. */
  readonly end: string
  readonly reserved: number
  /** What stays charged. */
  readonly tokens: number
  readonly upstream?: string | undefined
  /** By the clock of Redis, in ms since 1970. */
  readonly chargedAt?: number | undefined
}

export type Log = (line: ChatLine) => void

/** A line of JSON on stdout. */
export const printLine: Log = (line) => console.log(JSON.stringify(line))

export const noLog: Log = () => {}
