/** A duration as OpenAI's clients read it: `0s`, `17ms`, `8.64s`, `6m0s`, `1h0m30s`. */
export function durationText(ms: number): string {
  if (ms > 0 && ms < 1000) return `${ms}ms`
  const hours = Math.floor(ms / 3_600_000)
  const minutes = Math.floor(ms / 60_000) % 60
  const seconds = `${(ms % 60_000) / 1000}s`
  if (hours > 0) return `${hours}h${minutes}m${seconds}`
  return minutes > 0 ? `${minutes}m${seconds}` : seconds
}
