import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundleChild, type Child } from '../support/child.js'
import { tenantsFile } from './tenants-file.js'

let child: Child
beforeAll(async () => {
  child = await bundleChild(new URL('./exit.child.ts', import.meta.url))
})
afterAll(() => child?.remove())

it('to watch a file keeps no process alive', async () => {
  expect(await child.run([tenantsFile().path], { timeoutMs: 10_000 })).toBe(1)
})
