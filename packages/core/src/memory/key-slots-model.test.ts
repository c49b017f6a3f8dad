import fc from 'fast-check'
import { expect, it } from 'vitest'
import { KeySlots, type SlotOwner } from './key-slots.js'

/** Two lists of keys, the least recently used first. */
class Model {
  recent: string[] = []
  usedUp: string[] = []
  readonly blocked = new Set<string>()
  readonly slots = new Map<string, number>()
  gone: string[] = []
  forgotten = 0

  constructor(
    readonly room: number,
    readonly roomForUsedUp: number,
  ) {}

  get size(): number {
    return this.recent.length + this.usedUp.length
  }

  holds(key: string): boolean {
    return this.recent.includes(key) || this.usedUp.includes(key)
  }

  hold(key: string): void {
    if (this.usedUp.includes(key) && this.blocked.has(key)) {
      this.usedUp = [...this.usedUp.filter((other) => other !== key), key]
      return
    }
    this.usedUp = this.usedUp.filter((other) => other !== key)
    this.recent = [...this.recent.filter((other) => other !== key), key]
    if (this.recent.length > this.room) this.evict(this.recent.shift() as string)
  }

  drop(key: string): void {
    if (this.holds(key)) this.gone.push(key)
    this.recent = this.recent.filter((other) => other !== key)
    this.usedUp = this.usedUp.filter((other) => other !== key)
  }

  private evict(key: string): void {
    if (!this.blocked.has(key)) {
      this.gone.push(key)
      return
    }
    for (let looks = 0; looks < 2 && this.usedUp.length === this.roomForUsedUp; looks++) {
      const oldest = this.usedUp.shift() as string
      if (this.blocked.has(oldest)) this.usedUp.push(oldest)
      else this.gone.push(oldest)
    }
    if (this.usedUp.length < this.roomForUsedUp) {
      this.usedUp.push(key)
    } else {
      this.forgotten++
      this.gone.push(key)
    }
  }
}

class Real implements SlotOwner {
  readonly slots: KeySlots
  readonly blocked = new Set<number>()
  cleared: number[] = []
  forgotten = 0

  constructor(max: number) {
    this.slots = new KeySlots(max, this)
  }

  isUsedUp(slot: number): boolean {
    return this.blocked.has(slot)
  }

  clear(slot: number): void {
    this.blocked.delete(slot)
    this.cleared.push(slot)
  }

  onForgotten(): void {
    this.forgotten++
  }
}

type Act = (model: Model, real: Real) => void
function command(name: string, act: Act): fc.Command<Model, Real> {
  const run: Act = (model, real) => {
    act(model, real)
    // What the model let go is what was cleared, slot by slot; so both hold the same keys.
    expect(real.cleared).toEqual(model.gone.map((key) => model.slots.get(key)))
    for (const key of model.gone) {
      model.slots.delete(key)
      model.blocked.delete(key)
    }
    real.cleared = []
    model.gone = []
    expect([real.slots.size, real.forgotten]).toEqual([model.size, model.forgotten])
    expect(model.size).toBeLessThanOrEqual(model.room + model.roomForUsedUp)
  }
  return { check: () => true, run, toString: () => name }
}

const hold = (key: string) =>
  command(`hold ${key}`, (model, real) => {
    const held = model.slots.get(key)
    const live = new Set(model.slots.values())
    model.hold(key)
    const slot = real.slots.hold(key)
    if (held === undefined) expect(live).not.toContain(slot)
    else expect(slot).toBe(held)
    model.slots.set(key, slot)
  })

const find = (key: string) =>
  command(`find ${key}`, (model, real) => {
    if (model.holds(key)) model.hold(key)
    expect(real.slots.find(key)).toBe(model.slots.get(key))
  })

const drop = (key: string) =>
  command(`drop ${key}`, (model, real) => {
    model.drop(key)
    real.slots.drop(key)
  })

const block = (key: string) =>
  command(`block ${key}`, (model, real) => {
    const slot = model.slots.get(key)
    if (slot === undefined) return
    model.blocked.add(key)
    real.blocked.add(slot)
  })

const free = (key: string) =>
  command(`free ${key}`, (model, real) => {
    model.blocked.delete(key)
    real.blocked.delete(model.slots.get(key) ?? -1)
  })

const key = fc.oneof(fc.nat(4), fc.nat(45)).map((i) => `key-${i}`)
const commands = fc.commands(
  [hold, hold, hold, find, drop, block, block, free].map((act) => key.map(act)),
  { maxCommands: 200, size: 'max' },
)

it('holds the keys of its model in the same order, used-up ones longer, and shares no slot between two', () => {
  const property = fc.property(fc.constantFrom(2, 3, 8, 16, 24, 32), commands, (max, sequence) => {
    const roomForUsedUp = Math.max(1, Math.floor(max / 8))
    const setup = () => ({ model: new Model(max - roomForUsedUp, roomForUsedUp), real: new Real(max) })
    fc.modelRun(setup, sequence)
  })
  fc.assert(property, { numRuns: 200 })
})
