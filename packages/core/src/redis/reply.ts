import { type Charge, costOf } from '../model/charge.js'
import type { PolicyResult } from '../model/decision.js'
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
  const [now = -1, status] = reply
  if (status === LATE && reply.length === 2) return { late: true, now }
  if (status !== ALLOWED && status !== REFUSED) throw new Error('the reply has no status')
  const allowed = status === ALLOWED
  const results: PolicyResult[] = []
  for (const charge of charges) {
    for (const policy of charge.policies) {
      const cost = allowed ? costOf(charge.costs, policy) : 0
      results.push(readPolicy(reply, 2 + FIELDS * results.length, { limiter: charge.limiter, policy, cost }))
    }
  }
  if (reply.length !== 2 + FIELDS * results.length || results.every((result) => result.allowed) !== allowed) {
    throw new Error('the reply does not fit the question')
  }
  return { late: false, now, allowed, results }
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
  const [limit = -1, wait = -2, remaining = -1, reset = -1, next = -2] = reply.slice(at, at + FIELDS)
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
  return policy.unit === undefined ? result : { ...result, unit: policy.unit }
}

function isNumbers(reply: unknown): reply is number[] {
  return Array.isArray(reply) && reply.length >= 2 && reply.every((value) => Number.isSafeInteger(value))
}
