import type { OpenBench } from './store-bench.js'

export function describeKeys(_open: OpenBench): void {}
