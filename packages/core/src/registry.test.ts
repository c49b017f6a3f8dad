import { describe, expect, it } from 'vitest'
import { thrown } from '../../../test/support/thrown.js'
import { createLimiter } from './limiter.js'
import { memoryStore } from './memory/memory-store.js'
import { toPolicies } from './model/limit.js'
import { takeName } from './registry.js'

const five = toPolicies('5/1m')
const nine = toPolicies('9/1m')
const unnamed =
  'name: this store already counts for a limiter without a name, so their counts would mix. ' +
  'Give each limiter on a shared store a name: name: "login".'
const others =
  'name: is taken on this store by a limiter with other policies; choose another name; got "login"'

describe('a name on a store', () => {
  it.each([
    ['the same name with the same policies is one group', 'login', five, 'login', five],
    ['other names are other counters', 'login', five, 'search', nine],
    ['a name beside a limiter without one', undefined, five, 'login', nine],
  ])('is free: %s', (_, firstName, first, secondName, second) => {
    const store = memoryStore()
    takeName(store, firstName, first)
    expect(() => takeName(store, secondName, second)).not.toThrow()
  })

  it.each([
    ['row 44: the same name with another limit', 'login', five, 'login', nine, others],
    ['row 44: with another name of a policy', 'login', five, 'login', toPolicies({ a: '5/1m' }), others],
    ['row 44: with a limit per call', 'login', five, 'login', [], others],
    ['B138: a second limiter without a name', undefined, five, undefined, five, unnamed],
    ['the name of those without one', undefined, five, 'default', five, unnamed],
    ['no name where that is taken', 'default', five, undefined, five, unnamed],
  ])('is taken: %s', (_, firstName, first, secondName, second, message) => {
    const store = memoryStore()
    takeName(store, firstName, first)
    expect(thrown(() => takeName(store, secondName, second))).toMatchObject({ code: 'RL_CONFIG', message })
  })

  it('is free on another store', () => {
    takeName(memoryStore(), 'login', five)
    expect(() => takeName(memoryStore(), 'login', nine)).not.toThrow()
  })

  it('is free again when all that took it gave it back', () => {
    const store = memoryStore()
    const [first, second] = [takeName(store, 'login', five), takeName(store, 'login', five)]
    first()
    expect(thrown(() => takeName(store, 'login', nine))).toMatchObject({ message: others })
    second()
    expect(() => takeName(store, 'login', nine)).not.toThrow()
  })
})

describe('limiters on one store', () => {
  const pair = (first: string, second: string) => {
    const store = memoryStore({ clock: () => 0 })
    return [first, second].map((name) => createLimiter({ limit: '5/1m', name, store }))
  }

  it('B104: of one name share their counts', async () => {
    const [first, second] = pair('login', 'login')
    await first?.consume('a', { cost: 4 })
    expect(second?.consume('a')).toMatchObject({ remaining: 0 })
  })

  it('row 46: of other names are independent for the same key', async () => {
    const [first, second] = pair('tenant-a', 'tenant-b')
    await first?.consume('a', { cost: 5 })
    expect(second?.consume('a')).toMatchObject({ remaining: 4 })
  })

  it('row 37: user a:b of limiter c is not user a of limiter b:c', async () => {
    const [first, second] = pair('c', 'b:c')
    await first?.consume('a:b', { cost: 5 })
    expect(second?.consume('a')).toMatchObject({ remaining: 4 })
  })

  it('row 38: address 1.2.3.4 of limiter 5 is not address 1.2.3.45 of limiter 6', async () => {
    const [first, second] = pair('5', '6')
    await first?.consume('1.2.3.4', { cost: 5 })
    expect(second?.consume('1.2.3.45')).toMatchObject({ remaining: 4 })
    expect(first?.consume('1.2.3.45')).toMatchObject({ remaining: 4 })
  })

  it('B138: one that is made for each request counts on where it has a name and a shared store', () => {
    const store = memoryStore({ clock: () => 0 })
    const request = () => createLimiter({ limit: '1/1m', name: 'login', store }).consume('a')
    expect([request(), request()]).toMatchObject([{ allowed: true }, { allowed: false }])
  })
})
