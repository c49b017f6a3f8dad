import { type Ruled, resultOf } from '../algorithms/result.js'
import { NEVER, Row } from '../algorithms/step.js'
import { type Charge, costOf } from '../model/charge.js'
import type { PolicyResult } from '../model/decision.js'
import type { Policy } from '../model/policy.js'
import { unpackIntegers } from './packed.js'
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

/** Begins every answer: packed it is a byte that no text has. */
const ANSWER = -1
/** Numbers before what was asked: that, and the time. */
const HEAD = 2
const LATE = -2
const DONE = 1

/** Numbers for each policy: how long it has to wait (-1: for ever), and its row. */
const FIELDS = 4
const FOR_EVER = -1

/** Reads the reply of a deciding script. @throws Error when it is none: what is not understood never means "allowed". */
export function readReply(reply: unknown, charges: readonly Charge[]): Reply {
  const numbers = numbersOf(reply)
  const now = numbers[1] as number
  if (isLate(numbers)) return { late: true, now }
  const allowed = isAllowed(numbers)
  const results: PolicyResult[] = []
  for (const charge of charges) {
    const plan = planOf(charge.policies)
    for (let i = 0; i < plan.policies.length; i++) {
      const cost = allowed ? costOf(charge.costs, charge.policies[i] as Policy) : 0
      const at = HEAD + FIELDS * results.length
      results.push(readPolicy(numbers, at, plan.policies[i] as WirePolicy, { limiter: charge.limiter, cost }))
    }
  }
  if (numbers.length !== HEAD + FIELDS * results.length)
    throw new Error('the reply does not fit the question')
  return { late: false, now, allowed, results }
}

/** Reads the reply of the settle script. @throws Error when it is none. */
export function readSettled(reply: unknown): Answer<void> {
  const numbers = numbersOf(reply)
  const now = numbers[1] as number
  if (isLate(numbers)) return { late: true, now }
  if (numbers.length !== HEAD + 1 || numbers[HEAD] !== DONE) throw new Error('the reply has no status')
  return { late: false, now, value: undefined }
}

/** Reads the reply of the repay script: how many of the debts it could not charge. @throws Error when it is none. */
export function readRepaid(reply: unknown, debts: number): Answer<number> {
  const numbers = numbersOf(reply)
  const now = numbers[1] as number
  if (isLate(numbers)) return { late: true, now }
  const skipped = numbers[HEAD] ?? -1
  if (numbers.length !== HEAD + 1 || skipped < 0 || skipped > debts)
    throw new Error('the reply has a number out of range')
  return { late: false, now, value: skipped }
}

function numbersOf(reply: unknown): readonly number[] {
  const numbers = unpackIntegers(reply)
  const [mark, now = -1] = numbers
  if (mark !== ANSWER) throw new Error('the reply is of no script of ours')
  if (now < 0) throw new Error('the reply tells no time')
  return numbers
}

function isLate(numbers: readonly number[]): boolean {
  return numbers.length === HEAD + 1 && numbers[HEAD] === LATE
}

/** No policy has to wait. */
function isAllowed(numbers: readonly number[]): boolean {
  for (let at = HEAD; at < numbers.length; at += FIELDS) if (numbers[at] !== 0) return false
  return true
}

/** Scratch: a result keeps nothing of it. */
const ROW = new Row()

function readPolicy(
  numbers: readonly number[],
  at: number,
  ruled: Ruled,
  charged: { readonly limiter: string; readonly cost: number },
): PolicyResult {
  if (numbers.length < at + FIELDS) throw new Error('the reply does not fit the question')
  const now = numbers[1] as number
  const wait = numbers[at] as number
  ROW.a = numbers[at + 1] as number
  ROW.b = numbers[at + 2] as number
  ROW.c = numbers[at + 3] as number
  const { limiter, cost } = charged
  const result = resultOf(ruled, ROW, { limiter, now, wait: wait === FOR_EVER ? NEVER : wait, cost })
  const { limit, remaining, resetAfterMs, nextAfterMs } = result
  if (wait < FOR_EVER || ROW.a > now || remaining > limit || isPast(resetAfterMs) || isPast(nextAfterMs)) {
    throw new Error('the reply has a number out of range')
  }
  return result
}

function isPast(afterMs: number | null): boolean {
  return afterMs !== null && afterMs < 0
}
