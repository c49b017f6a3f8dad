import type { Charge, Costs, Receipt } from '../model/charge.js'
import type { Debt } from '../model/debt.js'
import { type Counted, decisionOf } from '../model/decision.js'
import type { Mode, Store, Subject } from '../model/store.js'
import { monotonicNow } from '../model/timers.js'
import type { ScriptClient } from './client.js'
import { readRepaid, readReply, readSettled } from './reply.js'
import { ScriptCalls } from './script-calls.js'
import { SCRIPTS } from './scripts.gen.js'
import { encodeSubject, slotOf } from './subject-key.js'
import { decisionQuestion, keysOf, repayQuestion, scriptFor, settleCall } from './wire.js'

/** Counts in Redis: one script call a decision, by the server's clock. Charges within the deadline or not at all. */
export class RawRedisStore implements Store {
  readonly #calls: ScriptCalls
  readonly #prefix: string
  readonly #hasSlots: boolean
  /** In receipts: whatever counts under this prefix in the same Redis may settle them. */
  readonly #id: string
  /** With a number, what makes a receipt one of its kind; made at the first, as some runtimes ask. */
  #process = ''
  #receipts = 0

  constructor(client: ScriptClient, prefix: string, deadlineMs: number) {
    this.#calls = new ScriptCalls(client, deadlineMs)
    this.#prefix = prefix
    this.#hasSlots = client.isCluster === true
    this.#id = `redis:${prefix}`
  }

  consume(charges: readonly Charge[], mode: Mode): Promise<Counted> {
    const { keys, slot } = this.#placeOf(charges)
    return this.#calls.call({
      script: scriptFor(charges),
      keys,
      slot,
      questionFor: (span) => decisionQuestion(charges, mode, span),
      read: (message) => {
        const reply = readReply(message, charges)
        if (reply.late) return reply
        const { now, allowed, results } = reply
        const receipt = allowed && mode !== 'peek' ? this.#receipt(charges, now) : null
        return { late: false, now, value: decisionOf(results, 'store', receipt) }
      },
    })
  }

  /** One call a subject: each has a slot of its own. */
  settle(receipt: Receipt, actual: Costs): Promise<void> | undefined {
    if (receipt.store !== this.#id) return undefined
    const calls = receipt.charges.map((charge) => this.#settle(charge, receipt, actual))
    return Promise.all(calls).then(() => undefined)
  }

  /** One call: the debts are of one slot. */
  repay(debts: readonly Debt[], id: string): Promise<number> {
    const called = monotonicNow()
    const { keys, slot } = this.#placeOf(debts)
    return this.#calls.call({
      script: SCRIPTS.repay,
      keys: [`${keys[0]}:repaid:${id}`, ...keys],
      slot,
      questionFor: (span) => {
        // The earliest that it can be now by the server's clock: no admission is taken for a later one than it was.
        const since = span.notBefore - (monotonicNow() - called)
        return repayQuestion(debts, span, (agoMs) => Math.max(0, Math.floor(since - agoMs)))
      },
      read: (message) => readRepaid(message, debts.length),
    })
  }

  reset({ limiter, key, policies }: Subject): Promise<void> {
    return this.#calls.delete(keysOf(this.#valueKey(limiter, encodeSubject(key)), policies))
  }

  close(): void {
    this.#calls.close()
  }

  together(charges: readonly Charge[]): boolean {
    const slots = this.#hasSlots ? charges.map(({ key }) => slotOf(encodeSubject(key))) : []
    return new Set(slots).size <= 1
  }

  #settle(charge: Charge, receipt: Receipt, actual: Costs): Promise<void> {
    const subject = encodeSubject(charge.key)
    return this.#calls.call<void>({
      script: SCRIPTS.settle,
      slot: this.#hasSlots ? slotOf(subject) : 0,
      ...settleCall(this.#valueKey(charge.limiter, subject), charge, receipt, actual),
      read: readSettled,
    })
  }

  #receipt(charges: readonly Charge[], at: number): Receipt {
    this.#process ||= Math.random().toString(36).slice(2)
    return { store: this.#id, id: `${this.#process}-${++this.#receipts}`, at, charges }
  }

  #placeOf(charges: readonly Subject[]): { readonly keys: readonly string[]; readonly slot: number } {
    let keys: string[] = []
    let slot = 0
    for (const { limiter, key, policies } of charges) {
      const subject = encodeSubject(key)
      if (this.#hasSlots) slot = slotOf(subject)
      const more = keysOf(this.#valueKey(limiter, subject), policies)
      if (keys.length === 0) keys = more
      else for (const key of more) keys.push(key)
    }
    return { keys, slot }
  }

  /** The braces make the subject decide the slot, so everything of one subject is in one place. */
  #valueKey(limiter: string, subject: string): string {
    return `${this.#prefix}:${limiter}:{${subject}}`
  }
}
