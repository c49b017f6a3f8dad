import type { Field } from '@rl/core/http'
import type { Context } from 'hono'

/** By name, what the limiters of one request have to say: a later one knows more, and also of the earlier. */
type Fields = Map<string, string>

const FIELDS = Symbol.for('@rl/hono.fields')

/** The fields of a request so far, and now these. */
export function fieldsOf(c: Context, added: readonly Field[]): Fields {
  const carrier = c as Context & { [FIELDS]?: Fields }
  carrier[FIELDS] ??= new Map()
  for (const [name, value] of added) carrier[FIELDS].set(name, value)
  return carrier[FIELDS]
}

/** An accepted upgrade is left alone: some runtimes know its response only by identity, or allow no copy of it. */
export function writeFields(c: Context, fields: Fields): void {
  if (c.finalized && c.res.status === 101) return
  for (const [name, value] of fields) c.header(name, value)
}
