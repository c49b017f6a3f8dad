import type { Context } from 'hono'
import { ApiError } from './api-error.js'

/** Answers an error in OpenAI's shape. */
export function onError(error: Error, c: Context): Response {
  const known = error instanceof ApiError ? error : unknownError(error, c)
  for (const [name, value] of known.fields) c.header(name, value)
  c.header('cache-control', 'no-store')
  return c.json(known.body, known.status)
}

function unknownError(error: Error, c: Context): ApiError {
  // A client that has left is nobody's error, and sees nothing of this.
  if (!c.req.raw.signal.aborted) console.error(error)
  return new ApiError(500, 'Something went wrong here.', { type: 'server_error' })
}
