import { describe, expect, it } from 'vitest'
import { KeySlots } from './key-slots.js'

/** Slots for at most `max` keys; `usedUp` and `cleared` are the owner's side of it. */
function slotsFor(max: number) {
  const usedUp = new Set<number>()
  const cleared: number[] = []
  let forgotten = 0
  const slots = new KeySlots(max, {
    isUsedUp: (slot) => usedUp.has(slot),
    clear: (slot) => cleared.push(slot),
    onForgotten: () => forgotten++,
  })
  const hold = (...keys: readonly string[]) => keys.map((key) => slots.hold(key))
  const holdUsedUp = (...keys: readonly string[]) => hold(...keys).map((slot) => usedUp.add(slot) && slot)
  return { slots, usedUp, cleared, hold, holdUsedUp, forgotten: () => forgotten }
}

const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`)

describe('a key', () => {
  it('gets a slot of its own, counted from 0', () => {
    const { hold } = slotsFor(16)
    expect(hold('a', 'b', 'c')).toEqual([0, 1, 2])
  })

  it('keeps its slot', () => {
    const { slots, hold } = slotsFor(16)
    hold('a', 'b')
    expect([slots.hold('b'), slots.find('b'), slots.hold('a')]).toEqual([1, 1, 0])
  })

  it('that is not held is not found, and looking for it holds nothing', () => {
    const { slots } = slotsFor(16)
    expect(slots.find('a')).toBeUndefined()
    expect(slots.size).toBe(0)
  })

  it.each(['', '__proto__', 'constructor', '\ud800', '\u0000'])('row 39: may be %o', (key) => {
    const { slots, hold } = slotsFor(16)
    hold('other', key)
    expect(slots.find(key)).toBe(1)
  })

  it.each([
    ['a', 0],
    ['b', 1],
  ])('that is dropped leaves its slot, cleared, to the next one: %s of a and b', (key, slot) => {
    const { slots, cleared, hold } = slotsFor(16)
    hold('a', 'b')
    slots.drop(key)
    expect(cleared).toEqual([slot])
    expect([slots.find(key), slots.size, slots.hold('c')]).toEqual([undefined, 1, slot])
  })

  it('that is not held can be dropped: nothing happens', () => {
    const { slots, cleared } = slotsFor(16)
    slots.drop('a')
    expect(cleared).toEqual([])
  })
})

describe('when there are more keys than room: 14 of 16, for 2 are for used-up keys', () => {
  it('the least recently used goes, and its slot is cleared', () => {
    const { slots, cleared, hold } = slotsFor(16)
    hold(...numbered('k', 14))
    slots.find('k0')
    hold('new')
    expect(cleared).toEqual([1])
    expect([slots.find('k1'), slots.find('k0'), slots.size]).toEqual([undefined, 0, 14])
  })

  it('row 50: a used-up key is kept', () => {
    const { slots, cleared, hold, holdUsedUp } = slotsFor(16)
    const [slot] = holdUsedUp('blocked')
    hold(...numbered('k', 100))
    expect(cleared).not.toContain(slot)
    expect(slots.find('blocked')).toBe(slot)
  })

  it('and is the most recently used again once it is found and used up no longer', () => {
    const { slots, usedUp, hold, holdUsedUp } = slotsFor(16)
    const [slot] = holdUsedUp('blocked')
    hold(...numbered('k', 14))
    usedUp.clear()
    slots.find('blocked')
    hold(...numbered('m', 13))
    expect(slots.find('blocked')).toBe(slot)
  })

  it('row 51: with no room for used-up keys either, the newcomer is forgotten, which is told', () => {
    const { slots, hold, holdUsedUp, forgotten } = slotsFor(16)
    holdUsedUp('first', 'second', 'third')
    hold(...numbered('k', 14))
    expect([slots.find('first'), slots.find('second'), slots.find('third')]).toEqual([0, 1, undefined])
    expect(forgotten()).toBe(1)
  })

  it.each([
    ['the oldest makes room when its time has come again', 0, 0],
    ['so does the one after it', 1, 0],
    ['further ones are not looked at: the work stays the same for any number', 2, 1],
  ])('%s', (_, freed, forgotten) => {
    const of24 = slotsFor(24)
    of24.holdUsedUp(...numbered('u', 4))
    of24.hold(...numbered('k', 20))
    of24.usedUp.delete(freed)
    of24.hold('one', 'two')
    expect(of24.forgotten()).toBe(forgotten)
    expect(of24.slots.find(`u${freed}`)).toBe(forgotten === 0 ? undefined : freed)
    expect(of24.slots.find('u3')).toBe(forgotten === 0 ? 3 : undefined)
  })

  it('a used-up key that is dropped leaves its room too', () => {
    const { slots, cleared, hold, holdUsedUp } = slotsFor(16)
    holdUsedUp('blocked')
    hold(...numbered('k', 14))
    slots.drop('blocked')
    expect([slots.find('blocked'), slots.size]).toEqual([undefined, 14])
    expect(cleared).toEqual([0])
  })
})

describe('the number of keys', () => {
  it.each([2, 3, 7, 8, 9, 16, 100])('B82: is never above a maximum of %d', (max) => {
    const { slots, hold, holdUsedUp } = slotsFor(max)
    holdUsedUp(...numbered('u', 300))
    hold(...numbered('k', 300))
    expect(slots.size).toBe(max)
  })

  it('grows past 1024 without a change of order', () => {
    const { slots, cleared, hold } = slotsFor(3000)
    hold(...numbered('k', 1024))
    slots.find('k0')
    hold(...numbered('m', 2625 - 1024))
    expect([slots.size, cleared]).toEqual([2625, []])
    hold('one', 'two')
    expect(cleared).toEqual([1, 2])
    expect(slots.find('k0')).toBe(0)
  })
})
