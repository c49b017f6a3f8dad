import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundleChild, type Child } from '../support/child.js'

let child: Child
beforeAll(async () => {
  child = await bundleChild(new URL('./without.child.ts', import.meta.url))
})
afterAll(() => child?.remove())

it.each([
  ['shown', 3],
  ['hidden', 0],
  ['no process', 0],
])('decisions are the same where diagnostics_channel is %s; %i of three are heard', async (how, heard) => {
  expect(await child.run([how])).toEqual({ allowed: [true, true, false], heard })
})
