import type { LoadResult } from './load.js'

/** The value that so large a part of the sorted values does not exceed: `percentile(latencies, 0.99)`. */
export function percentile(sorted: Float64Array, part: number): number {
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN
}

/** Answers a second. */
export function rateOf({ latencies, elapsedMs }: LoadResult): number {
  return (1000 * latencies.length) / elapsedMs
}

/** The table that the benchmark prints. */
export function report(result: LoadResult): string {
  const { latencies, answers } = result
  const mean = latencies.reduce((sum, latency) => sum + latency, 0) / latencies.length
  const rows: [string, string][] = [
    ['rate', `${Math.round(rateOf(result))} requests/s`],
    ['mean', ms(mean)],
    ['p50', ms(percentile(latencies, 0.5))],
    ['p90', ms(percentile(latencies, 0.9))],
    ['p99', ms(percentile(latencies, 0.99))],
    ['max', ms(percentile(latencies, 1))],
    ...[...answers].sort().map(([kind, count]): [string, string] => [kind, `${count} answers`]),
  ]
  const wide = Math.max(...rows.map(([name]) => name.length))
  const high = Math.max(...rows.map(([, value]) => value.length))
  return rows.map(([name, value]) => `${name.padEnd(wide)}  ${value.padStart(high)}`).join('\n')
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`
}
