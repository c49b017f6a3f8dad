import type { Field } from '@rl/core/http'
import type { Context } from 'hono'

/** On the context: what the limiters of this request have to say so far. A later one knows more, also of the earlier. */
const FIELDS = Symbol.for('@rl/hono.fields')

interface Carrier {
  [FIELDS]?: readonly Field[]
}

/** Sets them for responses that are still to be made by the context. */
export function prepareFields(c: Context, fields: readonly Field[]): void {
  const carrier = c as Carrier
  const earlier = carrier[FIELDS]
  carrier[FIELDS] = earlier === undefined ? fields : [...new Map([...earlier, ...fields])]
  for (const [name, value] of fields) c.header(name, value)
}

/**
 * Sets them on the response that was made without the context: a handler may give one of its own. An accepted upgrade is
 * left alone: some runtimes know its response by identity, or allow no copy of it.
 */
export function completeFields(c: Context): void {
  const fields = (c as Carrier)[FIELDS] ?? []
  if (c.res.status === 101) return
  let isOurs = false
  for (const [name, value] of fields) {
    if (c.res.headers.get(name) === value) continue
    // The first makes a copy, as others may hold the response, and its headers may be locked.
    if (isOurs) c.res.headers.set(name, value)
    else c.header(name, value)
    isOurs = true
  }
}
