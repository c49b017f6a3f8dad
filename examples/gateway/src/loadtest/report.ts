import type { LoadFlags } from './flags.js'
import type { LatencyClass } from './latencies.js'
import type { Measured } from './run.js'

export interface Summary {
  readonly url: string
  readonly sent: number
  /** Requests a second that were sent, over the time in which they were to be. */
  readonly rate: number
  /** Of all, how many were answered with 2xx. */
  readonly success: number
  readonly statuses: Readonly<Record<string, number>>
  readonly errors: Readonly<Record<string, number>>
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly max: number }
  /** How many answers took up to that many ms, and longer than the one before. */
  readonly histogram: readonly LatencyClass[]
}

export function summaryOf({ url, durationMs }: LoadFlags, measured: Measured): Summary {
  const { sent, statuses, errors, latencies, elapsedMs } = measured
  const good = [...statuses].reduce(
    (sum, [status, count]) => (status >= 200 && status < 300 ? sum + count : sum),
    0,
  )
  return {
    url: url.href,
    sent,
    rate: Math.round((sent * 10_000) / Math.min(durationMs, elapsedMs)) / 10,
    success: sent === 0 ? 0 : good / sent,
    statuses: Object.fromEntries([...statuses].sort(([a], [b]) => a - b)),
    errors: Object.fromEntries(errors),
    latencyMs: {
      p50: latencies.percentile(50),
      p99: latencies.percentile(99),
      max: latencies.percentile(100),
    },
    histogram: latencies.classes,
  }
}

const BAR = 40

export function textOf(summary: Summary): string {
  const { url, sent, rate, success, statuses, errors, latencyMs, histogram } = summary
  const most = Math.max(1, ...histogram.map(({ count }) => count))
  const counts = (record: Readonly<Record<string, number>>) =>
    Object.entries(record)
      .map(([name, count]) => `${name}: ${count}`)
      .join(', ')
  return [
    `${sent} requests to ${url}, ${rate} a second`,
    '',
    `success   ${(success * 100).toFixed(1)} %`,
    `statuses  ${counts(statuses) || 'none'}`,
    ...(Object.keys(errors).length > 0 ? [`errors    ${counts(errors)}`] : []),
    `latency   p50 ${latencyMs.p50} ms, p99 ${latencyMs.p99} ms, max ${latencyMs.max} ms, from the intended start`,
    '',
    ...histogram.map(({ upToMs, count }) => {
      const label = upToMs === null ? 'more' : `≤ ${upToMs} ms`
      return `${label.padStart(10)} ${String(count).padStart(8)} ${'█'.repeat(Math.ceil((count / most) * BAR))}`.trimEnd()
    }),
  ].join('\n')
}
