import type { Fault } from '../fault.js'
import { fixedWindowFaults } from './fixed-window.js'
import { slidingLogFaults } from './sliding-log.js'
import { slidingWindowFaults } from './sliding-window.js'
import { storeFaults } from './store.js'
import { tokenBucketFaults } from './token-bucket.js'

/** Every fault that the tests have to find. */
export const FAULTS: readonly Fault[] = [
  ...fixedWindowFaults,
  ...slidingWindowFaults,
  ...slidingLogFaults,
  ...tokenBucketFaults,
  ...storeFaults,
]
