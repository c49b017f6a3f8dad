import { type Charge, costOf } from '../model/charge.js'
import { type PolicyResult, withUnit } from '../model/decision.js'
import { type Policy, spanMs } from '../model/policy.js'
import type { Answer } from './script-calls.js'

/** What a script answered: that it came too late, or how every policy stands. `now` is the server's time. */
export type Reply =
  | { readonly late: true; readonly now: number }
  | {
      readonly late: false
      readonly now: number
      readonly allowed: boolean
      readonly results: PolicyResult[]
    }

const LATE = -1
const REFUSED = 0
const ALLOWED = 1
const DONE = 1

/** Numbers for each policy: limit, wait, remaining, reset, next; -1 for a wait that never ends. */
const FIELDS = 5

/** Reads the reply of a deciding script. @throws Error when it is none: what is not understood never means "allowed". */
export function readReply(reply: unknown, charges: readonly Charge[]): Reply {
  if (!isNumbers(reply)) throw new Error('the reply is no list of numbers')
  const now = reply[0] as number
  const status = reply[1]
  if (status === LATE && reply.length === 2) return { late: true, now }
  if (status !== ALLOWED && status !== REFUSED) throw new Error('the reply has no status')
  const isAllowed = status === ALLOWED
  const results: PolicyResult[] = []
  let admitting = 0
  for (const { limiter, policies, costs } of charges) {
    for (const policy of policies) {
      const cost = isAllowed ? costOf(costs, policy) : 0
      const result = readPolicy(reply, 2 + FIELDS * results.length, { limiter, policy, cost })
      if (result.allowed) admitting++
      results.push(result)
    }
  }
  if (reply.length !== 2 + FIELDS * results.length || (admitting === results.length) !== isAllowed) {
    throw new Error('the reply does not fit the question')
  }
  return { late: false, now, allowed: isAllowed, results }
}

/** Reads the reply of the settle script. @throws Error when it is none. */
export function readSettled(reply: unknown): Answer<void> {
  if (!isNumbers(reply) || reply.length !== 2) throw new Error('the reply is no list of two numbers')
  const [now = -1, status] = reply
  if (status === LATE) return { late: true, now }
  if (status !== DONE) throw new Error('the reply has no status')
  return { late: false, now, value: undefined }
}

/** Reads the reply of the repay script: how many debts it could not charge. @throws Error when it is none. */
export function readRepaid(reply: unknown): Answer<number> {
  if (!isNumbers(reply) || reply.length !== 2) throw new Error('the reply is no list of two numbers')
  const [now = -1, skipped = -2] = reply
  if (skipped === LATE) return { late: true, now }
  if (skipped < 0) throw new Error('the reply has a number out of range')
  return { late: false, now, value: skipped }
}

interface Asked {
  readonly limiter: string
  readonly policy: Policy
  readonly cost: number
}

function readPolicy(reply: readonly number[], at: number, { limiter, policy, cost }: Asked): PolicyResult {
  if (reply.length < at + FIELDS) throw new Error('the reply does not fit the question')
  const limit = reply[at] as number
  const wait = reply[at + 1] as number
  const remaining = reply[at + 2] as number
  const reset = reply[at + 3] as number
  const next = reply[at + 4] as number
  if (limit !== policy.limit || wait < -1 || remaining < 0 || remaining > limit || reset < 0 || next < -1) {
    throw new Error('the reply has a number out of range')
  }
  const result: PolicyResult = {
    limiter,
    policy: policy.name,
    kind: policy.kind,
    allowed: wait === 0,
    cost,
    limit,
    remaining,
    used: limit - remaining,
    resetAfterMs: reset,
    nextAfterMs: next === -1 ? null : next,
    retryAfterMs: wait === -1 ? null : wait,
    windowMs: spanMs(policy),
  }
  return withUnit(result, policy)
}

function isNumbers(reply: unknown): reply is number[] {
  if (!Array.isArray(reply) || reply.length < 2) return false
  for (const value of reply) if (!Number.isSafeInteger(value)) return false
  return true
}
