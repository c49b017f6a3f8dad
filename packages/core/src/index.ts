export { type ConsumeItem, consumeAll } from './consume-all.js'
export { createLimiter } from './limiter.js'
export type { ConsumeOptions, Limiter, LimiterOptions } from './limiter-types.js'
export { type MemoryStore, type MemoryStoreOptions, memoryStore } from './memory/memory-store.js'
export type { Charge, Costs, Receipt } from './model/charge.js'
export type { Clock } from './model/clock.js'
export type { Debt, DebtPart } from './model/debt.js'
export type { Counted, Decision, PolicyResult, Reason, Source, Uncounted } from './model/decision.js'
export type { Duration } from './model/duration.js'
export { isRateLimitError, RateLimitError, type RateLimitErrorCode } from './model/errors.js'
export type {
  BreakerState,
  DecisionEvent,
  Emergency,
  OnEvent,
  RateLimitEvent,
  StoreErrorKind,
} from './model/event.js'
export type { Key } from './model/key.js'
export type { Limit } from './model/limit.js'
export type { Logger } from './model/logger.js'
export {
  type FixedWindow,
  fixedWindow,
  type Policy,
  type PolicyLike,
  type SlidingLog,
  type SlidingWindow,
  slidingLog,
  slidingWindow,
  type TokenBucket,
  tokenBucket,
} from './model/policy.js'
export type { MaybePromise, Mode, Store, Subject } from './model/store.js'
export type { QuotaUnit } from './model/unit.js'
export { noopLimiter } from './noop-limiter.js'
export type { OnStoreFailure } from './store-failure.js'
