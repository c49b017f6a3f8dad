import type { PolicyResult } from '../model/decision.js'

/** A header field: name and value. */
export type Field = readonly [name: string, value: string]

/** The fields of one response, for everything that was decided on its request. */
export type FieldWriter = (results: readonly PolicyResult[]) => readonly Field[]
