import { show } from '../model/errors.js'

/**
 * What a function of the application threw, as an error. Frameworks take `undefined` for no error, and Express takes
 * `'route'` for an order to leave out what follows, limiters included.
 */
export function toError(thrown: unknown): object {
  if (typeof thrown === 'object' && thrown !== null) return thrown
  return new Error(`rateLimit: a function among its options failed with ${show(thrown)}`, { cause: thrown })
}
