import { Presets, SingleBar } from 'cli-progress'
import type { LoadFlags } from './flags.js'
import type { Load } from './run.js'

/** A bar on the terminal while the load runs; nothing where there is no terminal. */
export function progressOf({ rps, durationMs }: LoadFlags, load: Load): { end(): void } {
  const total = Math.max(1, Math.floor((rps * durationMs) / 1000))
  const format = '{bar} {value} of {total} requests, {duration_formatted}'
  const bar = new SingleBar({ format, clearOnComplete: true, hideCursor: true }, Presets.shades_classic)
  bar.start(total, 0)
  const timer = setInterval(() => bar.update(load.sent), 200)
  return {
    end() {
      clearInterval(timer)
      bar.stop()
    },
  }
}
