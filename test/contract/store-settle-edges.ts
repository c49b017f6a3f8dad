import type { OpenBench } from './store-bench.js'

export function describeSettlingEdges(_open: OpenBench): void {}
