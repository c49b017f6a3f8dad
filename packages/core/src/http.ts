export type { AccessOptions } from './http/access.js'
export type { AccessList, DenyList } from './http/access-list.js'
export { type ApiKeyOptions, byApiKey, byCookie, type SecretOptions } from './http/by-secret.js'
export { byUser, type UserOptions } from './http/by-user.js'
export { type CachedLimit, cachedLimit } from './http/cached-limit.js'
export type { CachedLimitOptions } from './http/cached-limit-options.js'
export type { ClientAddressOptions } from './http/client-address.js'
export type { Field } from './http/field.js'
export type { FromRequest } from './http/from-request.js'
export { createGuard, type Guard } from './http/guard.js'
export { checkGuardOptions, type GuardOptions, type Outcome } from './http/guard-options.js'
export type { HeaderForm, HeadersOption } from './http/headers.js'
export { ipKey } from './http/ip-address.js'
export {
  byHeader,
  byIp,
  byRoute,
  compose,
  firstOf,
  type HeaderOptions,
  type KeyFunction,
} from './http/keys.js'
export type { Normalise } from './http/normalise.js'
export { type RateLimitResult, REQUEST_STATE, rateLimitOf } from './http/request-state.js'
export type { RequestView } from './http/request-view.js'
export { type EndingResponse, onResponseEnd } from './http/response-end.js'
export { toError } from './http/thrown.js'
export type { Trust, TrustedHops } from './http/trust.js'
export type { Verdict } from './http/verdict.js'
