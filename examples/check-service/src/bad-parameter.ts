/** A query that can't be answered, for a reason that its sender can mend. */
export class BadParameter extends Error {
  override readonly name = 'BadParameter'
  /** The parameter that is wrong. */
  readonly field: string

  /** `advice` completes the sentence "<field> …": what it must be, then what was seen. */
  constructor(field: string, advice: string) {
    super(`${field} ${advice}`)
    this.field = field
  }
}

/** A value as a message may show it: short, on one line, in quotes. */
export function show(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
}
