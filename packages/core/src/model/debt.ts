import type { Policy } from './policy.js'

/** What one limiter admitted for one key while its store could not be asked. */
export interface Debt {
  readonly limiter: string
  readonly key: string
  readonly policies: readonly Policy[]
  /** For each of the policies what was admitted, the oldest first. */
  readonly parts: readonly (readonly DebtPart[])[]
}

export interface DebtPart {
  /** Milliseconds since the first of these admissions. */
  readonly agoMs: number
  readonly cost: number
}
