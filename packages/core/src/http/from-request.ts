import { configError } from '../model/errors.js'
import type { MaybePromise } from '../model/store.js'
import type { RequestView } from './request-view.js'

/** A function of the framework's own object, and of what built-in extractors see of it. */
export type FromRequest<Ctx, T> = (ctx: Ctx, view: RequestView) => MaybePromise<T>

/** What a function among the options gave where only yes and no mean anything. @throws RateLimitError `RL_CONFIG` */
export function checkBoolean(value: unknown, option: string): boolean {
  if (typeof value === 'boolean') return value
  throw configError(option, value, 'must give true or false')
}
