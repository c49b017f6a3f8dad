import { type Ruled, resultOf } from '../algorithms/result.js'
import { NEVER, Row } from '../algorithms/step.js'
import { type Charge, costOf } from '../model/charge.js'
import type { PolicyResult } from '../model/decision.js'
import { planOf, type WirePolicy } from './plan.js'
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

/** Numbers for each policy: how long it has to wait (-1: for ever), and its row. */
const FIELDS = 4
const FOR_EVER = -1

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
  for (const charge of charges) {
    const plan = planOf(charge.policies)
    for (let i = 0; i < plan.policies.length; i++) {
      const result = readPolicy(reply, 2 + FIELDS * results.length, charge, plan.policies[i] as WirePolicy)
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

/** Scratch: a result keeps nothing of it. */
const ROW = new Row()

function readPolicy(reply: readonly number[], at: number, charge: Charge, ruled: Ruled): PolicyResult {
  if (reply.length < at + FIELDS) throw new Error('the reply does not fit the question')
  const now = reply[0] as number
  const wait = reply[at] as number
  ROW.a = reply[at + 1] as number
  ROW.b = reply[at + 2] as number
  ROW.c = reply[at + 3] as number
  const cost = reply[1] === ALLOWED ? costOf(charge.costs, ruled.policy) : 0
  const finding = { limiter: charge.limiter, now, wait: wait === FOR_EVER ? NEVER : wait, cost }
  const result = resultOf(ruled, ROW, finding)
  const { limit, remaining, resetAfterMs, nextAfterMs } = result
  if (wait < FOR_EVER || ROW.a > now || remaining > limit || isPast(resetAfterMs) || isPast(nextAfterMs)) {
    throw new Error('the reply has a number out of range')
  }
  return result
}

function isPast(afterMs: number | null): boolean {
  return afterMs !== null && afterMs < 0
}

function isNumbers(reply: unknown): reply is number[] {
  if (!Array.isArray(reply) || reply.length < 2) return false
  for (const value of reply) if (!Number.isSafeInteger(value)) return false
  return true
}
