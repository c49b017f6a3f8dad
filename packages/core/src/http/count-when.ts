import type { Limiter } from '../limiter-types.js'
import { chain } from '../model/maybe-promise.js'
import type { Listener } from './endings.js'
import type { GuardOptions } from './guard-options.js'

/** Who is told how requests of a limiter end, in order. */
export function listenersOf<Ctx>(
  { countWhen, onDone }: GuardOptions<Ctx>,
  limiter: Limiter,
): readonly Listener<Ctx>[] {
  const listeners: Listener<Ctx>[] = []
  if (countWhen !== undefined) listeners.push(refundUnless(countWhen, limiter))
  if (onDone !== undefined) listeners.push({ name: 'onDone', tell: onDone })
  return listeners
}

/**
 * Gives a charge back when `countWhen` says, after the response, that the request does not count. The charge was made
 * before: requests that are still under way count, so that nobody gets round a limit by many at once.
 */
function refundUnless<Ctx>(
  countWhen: NonNullable<GuardOptions<Ctx>['countWhen']>,
  limiter: Limiter,
): Listener<Ctx> {
  return {
    name: 'countWhen',
    tell: (ctx, outcome) => {
      const { result } = outcome
      if (!result?.allowed) return undefined
      return chain(countWhen(ctx, outcome), (counts) =>
        counts === false ? limiter.refund(result) : undefined,
      )
    },
  }
}
