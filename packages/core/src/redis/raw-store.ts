import type { Charge, Costs, Receipt } from '../model/charge.js'
import { type Counted, decisionOf } from '../model/decision.js'
import type { Mode, Store, Subject } from '../model/store.js'
import type { RedisClient } from './client.js'
import { readReply, readSettled } from './reply.js'
import { ScriptCalls } from './script-calls.js'
import { SCRIPTS } from './scripts.gen.js'
import { encodeSubject, slotOf } from './subject-key.js'
import { askArguments, keysOf, scriptFor, settleArguments } from './wire.js'

/** Counts in Redis: one script call a decision, by the server's clock. Charges within the deadline or not at all. */
export class RawRedisStore implements Store {
  readonly #calls: ScriptCalls
  readonly #prefix: string
  readonly #hasSlots: boolean
  /** In receipts: whatever counts under this prefix in the same Redis may settle them. */
  readonly #id: string

  constructor(client: RedisClient, prefix: string, deadlineMs: number) {
    this.#calls = new ScriptCalls(client, deadlineMs)
    this.#prefix = prefix
    this.#hasSlots = client.isCluster === true
    this.#id = `redis:${prefix}`
  }

  consume(charges: readonly Charge[], mode: Mode): Promise<Counted> {
    return this.#calls.call({
      script: scriptFor(charges),
      ...this.#placeOf(charges),
      argumentsFor: (span) => askArguments(charges, mode, span),
      read: (message) => {
        const reply = readReply(message, charges)
        if (reply.late) return reply
        const { now, allowed, results } = reply
        const receipt = allowed && mode !== 'peek' ? { store: this.#id, at: now, charges } : null
        return { late: false, now, value: decisionOf(results, 'store', receipt) }
      },
    })
  }

  settle(receipt: Receipt, costs: Costs): Promise<void> | undefined {
    if (receipt.store !== this.#id) return undefined
    const { charges, at } = receipt
    return this.#calls.call<void>({
      script: SCRIPTS.settle,
      ...this.#placeOf(charges),
      argumentsFor: (span) => settleArguments(charges, costs, at, span),
      read: readSettled,
    })
  }

  reset({ limiter, key, policies }: Subject): Promise<void> {
    return this.#calls.delete(keysOf(this.#valueKey(limiter, encodeSubject(key)), policies))
  }

  close(): void {
    this.#calls.close()
  }

  #placeOf(charges: readonly Charge[]): { readonly keys: readonly string[]; readonly slot: number } {
    const keys: string[] = []
    let slot = 0
    for (const { limiter, key, policies } of charges) {
      const subject = encodeSubject(key)
      if (this.#hasSlots) slot = slotOf(subject)
      keys.push(...keysOf(this.#valueKey(limiter, subject), policies))
    }
    return { keys, slot }
  }

  /** The braces make the subject decide the slot, so everything of one subject is in one place. */
  #valueKey(limiter: string, subject: string): string {
    return `${this.#prefix}:${limiter}:{${subject}}`
  }
}
