import { afterAll, beforeAll, it } from 'vitest'
import { bundleChild, type Child } from '../support/child.js'
import { expectRun } from './gateway/expect-run.js'
import { runGateway } from './gateway/outages.js'

let child: Child
beforeAll(async () => {
  child = await bundleChild(new URL('./gateway/gateway.child.ts', import.meta.url))
})
afterAll(() => child?.remove())

it('B60, B63: the gateway answers in time while Redis is killed, frozen and restarted, and goes back to it', {
  timeout: 60_000,
}, async () => {
  expectRun(await runGateway(child.program, ['killed', 'frozen', 'restarted']))
})
