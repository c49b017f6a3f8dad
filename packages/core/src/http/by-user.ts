import { configError } from '../model/errors.js'
import { type Key, toKey } from '../model/key.js'
import { chain } from '../model/maybe-promise.js'
import type { MaybePromise } from '../model/store.js'
import { checkOptions } from '../model/suggest.js'
import { type KeyFunction, USER_MARK } from './keys.js'
import { type Normalise, toNormaliser } from './normalise.js'
import type { RequestView } from './request-view.js'

export interface UserOptions {
  /** Which spellings are one user: `true` trims, lower-cases and composes (NFC). @default false, as it is */
  readonly normalise?: Normalise | undefined
}

/**
 * By the user that authentication found: `byUser((req) => req.auth?.sub)` counts under `user:42`, which no address, API
 * key or header is. No user (`undefined`, `null`, a blank text) gives nothing, so that `firstOf` goes on.
 * The key function fails with `RL_KEY` for what is neither a text, a safe integer nor a bigint.
 */
export function byUser<Ctx = unknown>(
  id: (ctx: Ctx, view: RequestView) => MaybePromise<Key | null | undefined>,
  options: UserOptions = {},
): KeyFunction<Ctx> {
  if (typeof id !== 'function') throw configError('byUser', id, 'takes a function (ctx) => the user’s id')
  checkOptions('byUser', options, ['normalise'])
  const normalise = toNormaliser(options.normalise, 'byUser: normalise')
  return (ctx, view) =>
    chain(id(ctx, view), (found) => {
      if (found === undefined || found === null) return undefined
      const text = typeof found === 'string' ? normalise(found) : numberText(found)
      return text.trim() === '' ? undefined : `${USER_MARK}${text}`
    })
}

/** Of a number that is a key. */
function numberText(id: Key): string {
  toKey(id)
  return String(id)
}
