import type { LoadFlags } from './flags.js'
import type { Latencies, LatencyClass } from './latencies.js'
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
  /** Null where nothing was answered. */
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly max: number } | null
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
    latencyMs: statuses.size === 0 ? null : percentiles(latencies),
    histogram: latencies.classes,
  }
}

function percentiles(latencies: Latencies) {
  const [p50, p99, max] = [50, 99, 100].map((percent) => latencies.percentile(percent)) as [
    number,
    number,
    number,
  ]
  return { p50, p99, max }
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
    ...(latencyMs === null ? [] : [latencyText(latencyMs), '']),
    ...histogram.map(({ upToMs, count }) => {
      const label = upToMs === null ? 'more' : `≤ ${upToMs} ms`
      return `${label.padStart(10)} ${String(count).padStart(8)} ${'█'.repeat(Math.ceil((count / most) * BAR))}`.trimEnd()
    }),
  ].join('\n')
}

function latencyText({ p50, p99, max }: NonNullable<Summary['latencyMs']>): string {
  return `latency   p50 ${p50} ms, p99 ${p99} ms, max ${max} ms, from the intended start`
}
