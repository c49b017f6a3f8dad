import { LRUCache } from 'lru-cache'
import { copyOf } from '../model/copy-of.js'

/** What `KeySlots` asks of the rows behind its slots. */
export interface SlotOwner {
  /** True while forgetting the slot's key would let a blocked client pass. */
  isUsedUp(slot: number): boolean
  /** The slot's key is gone. */
  clear(slot: number): void
  /** A used-up key had to be forgotten: there was no room left even for those. */
  onForgotten(): void
}

/** lru-cache allocates for its full size at once, so a limiter with few keys begins small. */
const SMALL = 1024

/**
 * Which slot holds a key's rows, for at most `max` keys. The least recently used key goes first, unless it is used up:
 * then it moves to a second, smaller list, which is searched on a miss. So a flood of new keys does not free a blocked
 * one. All work is O(1) a call, but for one move of 1024 keys when a small list grows.
 */
export class KeySlots {
  readonly #owner: SlotOwner
  readonly #roomForUsedUp: number
  readonly #room: number
  #recent: LRUCache<string, number>
  #usedUp: LRUCache<string, number> | undefined
  readonly #free: number[] = []
  #made = 0
  /** The key asked for last, mostly the next one too: a decision asks for its key up to three times. */
  #lastKey: string | undefined
  #lastSlot: number | undefined

  constructor(max: number, owner: SlotOwner) {
    this.#owner = owner
    this.#roomForUsedUp = Math.max(1, Math.floor(max / 8))
    this.#room = max - this.#roomForUsedUp
    this.#recent = this.#list(Math.min(SMALL, this.#room))
  }

  /** Keys held now. */
  get size(): number {
    return this.#recent.size + (this.#usedUp?.size ?? 0)
  }

  /** The key's slot, `undefined` for a key that is not held; a held key is now the most recently used. */
  find(key: string): number | undefined {
    return key === this.#lastKey ? this.#lastSlot : this.#search(key)
  }

  /** The key's slot, made if need be; the key is now the most recently used. */
  hold(key: string): number {
    return this.find(key) ?? this.#add(key, this.#free.pop() ?? this.#made++)
  }

  drop(key: string): void {
    const slot = this.#recent.peek(key) ?? this.#usedUp?.peek(key)
    if (slot === undefined) return
    this.#lastKey = undefined
    if (!this.#recent.delete(key)) this.#usedUp?.delete(key)
    this.#release(slot)
  }

  #search(key: string): number | undefined {
    this.#lastKey = key
    this.#lastSlot = this.#recent.get(key) ?? this.#comeBack(key)
    return this.#lastSlot
  }

  #list(max: number): LRUCache<string, number> {
    return new LRUCache({
      max,
      dispose: (slot, key, reason) => reason === 'evict' && this.#evicted(key, slot),
    })
  }

  #growRecent(): void {
    const small = this.#recent
    this.#recent = this.#list(this.#room)
    for (const key of small.rkeys()) this.#recent.set(key, small.peek(key) as number)
  }

  /** A key that is used up no longer is a recent one again. One that still is stays: trying does not free it. */
  #comeBack(key: string): number | undefined {
    const slot = this.#usedUp?.get(key)
    if (slot === undefined) return undefined
    if (this.#owner.isUsedUp(slot)) {
      // Not to be remembered: when it is asked for next it may be used up no longer.
      this.#lastKey = undefined
      return slot
    }
    this.#usedUp?.delete(key)
    return this.#add(key, slot)
  }

  /** For the key that was just asked for. */
  #add(key: string, slot: number): number {
    if (this.#recent.size >= this.#recent.max && this.#recent.max < this.#room) this.#growRecent()
    this.#recent.set(copyOf(key), slot)
    this.#lastSlot = slot
    return slot
  }

  #evicted(key: string, slot: number): void {
    if (!this.#owner.isUsedUp(slot)) {
      this.#release(slot)
      return
    }
    this.#usedUp ??= new LRUCache({ max: this.#roomForUsedUp })
    this.#makeRoom(this.#usedUp)
    if (this.#usedUp.size < this.#roomForUsedUp) {
      this.#usedUp.set(key, slot)
    } else {
      // The newcomer goes, not an older one: a flood of used-up keys does not free those blocked before it.
      this.#owner.onForgotten()
      this.#release(slot)
    }
  }

  /** Looks at the two oldest of a full list: those whose time has come again make room. */
  #makeRoom(usedUp: LRUCache<string, number>): void {
    for (let looks = 0; looks < 2 && usedUp.size >= this.#roomForUsedUp; looks++) {
      const key = usedUp.rkeys().next().value as string
      const slot = usedUp.peek(key) as number
      usedUp.delete(key)
      if (this.#owner.isUsedUp(slot)) usedUp.set(key, slot)
      else this.#release(slot)
    }
  }

  #release(slot: number): void {
    this.#owner.clear(slot)
    this.#free.push(slot)
  }
}
