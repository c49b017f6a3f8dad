import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { memoryStore } from '@rl/core'
import { expect, it } from 'vitest'
import { Stores } from './stores.js'

it('has each store once', () => {
  const stores = new Stores()
  const [a, b] = [memoryStore(), memoryStore()]
  for (const store of [a, b, a, b]) stores.saw(store)
  expect(stores.live()).toEqual([a, b])
})

it('keeps no store alive', async () => {
  const stores = new Stores()
  for (let i = 0; i < 200; i++) stores.saw(memoryStore())
  // A reference that was looked at is kept until the end of the turn.
  await new Promise(setImmediate)
  collectGarbage()
  expect(stores.live()).toEqual([])
})

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
