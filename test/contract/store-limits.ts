import type { OpenBench } from './store-bench.js'

export function describeLimits(_open: OpenBench): void {}
