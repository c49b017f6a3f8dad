import type { OpenBench } from './store-bench.js'

export function describeSettling(_open: OpenBench): void {}
