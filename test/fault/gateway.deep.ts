import { afterAll, beforeAll, it } from 'vitest'
import { bundleChild, type Child } from '../support/child.js'
import { expectRun } from './gateway/expect-run.js'
import { type Outage, runGateway } from './gateway/outages.js'

let child: Child
beforeAll(async () => {
  child = await bundleChild(new URL('./gateway/gateway.child.ts', import.meta.url))
})
afterAll(() => child?.remove())

const EACH: readonly Outage[] = ['killed', 'frozen', 'restarted']

it('B60, B63: the gateway answers in time while Redis is killed, frozen and restarted three times', async () => {
  expectRun(await runGateway(child.program, [...EACH, ...EACH, ...EACH]))
})

it('B60: and while it is killed and restarted over and over', async () => {
  expectRun(await runGateway(child.program, ['restarted', 'restarted', 'killed', 'restarted', 'restarted']))
})
