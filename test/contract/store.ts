import { describe, onTestFinished } from 'vitest'
import { Bench, type OpenBench, type StoreFactory, testClock } from './store-bench.js'
import { describeCosts } from './store-costs.js'
import { describeKeys } from './store-keys.js'
import { describeKinds } from './store-kinds.js'
import { describeLimits } from './store-limits.js'
import { describeModes } from './store-modes.js'
import { describeSettling } from './store-settle.js'
import { describeSettlingEdges } from './store-settle-edges.js'
import { describeSeveral } from './store-several.js'
import { describeTraces } from './store-traces.js'

/**
 * What a store is: the same calls at the same times get the same answers from every one. Row numbers are those of the
 * table of hostile inputs, 5.2 in the HTTP reference; B numbers those of the bug reports.
 */
export function describeStore(name: string, factory: StoreFactory): void {
  const open: OpenBench = async () => {
    const clock = testClock()
    const opened = await factory(clock)
    onTestFinished(() => opened.close())
    const bench = new Bench(opened, clock)
    return bench.at(0)
  }
  describe(name, () => {
    describeTraces(open)
    describeKinds(open)
    describeSeveral(open)
    describeCosts(open)
    describeModes(open)
    describeSettling(open)
    describeSettlingEdges(open)
    describeLimits(open)
    describeKeys(open)
  })
}
