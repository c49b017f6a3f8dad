import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { scratchDir } from './guardian.js'
import type { Preload } from './redis-server.js'

/** A wall clock that can be stepped while the processes that carry it run. */
export interface ClockShim extends Preload {
  /** How far the clock is from the true time now, in ms. */
  readonly offsetMs: number
  /** Steps the clock by so many whole ms, forward or (negative) back. Takes effect at once. */
  step(ms: number): void
  /** Back to the true time. */
  reset(): void
}

/**
 * Compiles the shim with `cc` (about 0.1 s) and gives it an offset of its own, 0 at first.
 *
 * Pass it as `preload` to `startRedis`, or its `env` to a Node process, whose `Date.now()` follows too. One
 * shim for several processes steps them together. Linux only: it relies on LD_PRELOAD.
 *
 * @throws Error when there is no C compiler on PATH.
 */
export async function createClockShim(): Promise<ClockShim> {
  const dir = scratchDir('clock')
  const library = join(dir, 'clock-shim.so')
  const source = fileURLToPath(new URL('./clock-shim.c', import.meta.url))
  try {
    await promisify(execFile)('cc', ['-shared', '-fPIC', '-O2', '-Wall', '-o', library, source])
  } catch (cause) {
    throw new Error('The clock shim cannot be compiled: is `cc` installed and on PATH?', { cause })
  }
  return openShim(library, join(dir, 'offset'))
}

function openShim(library: string, offsetFile: string): ClockShim {
  let offsetMs = 0
  writeFileSync(offsetFile, bytesOf(offsetMs))
  const moveTo = (ms: number): void => {
    // 'r+' writes in place. To truncate a file that others have mapped would kill them with SIGBUS.
    writeFileSync(offsetFile, bytesOf(ms), { flag: 'r+' })
    offsetMs = ms
  }
  return {
    env: { LD_PRELOAD: library, RL_CLOCK_FILE: offsetFile },
    get offsetMs() {
      return offsetMs
    },
    step: (ms) => moveTo(offsetMs + ms),
    reset: () => moveTo(0),
  }
}

function bytesOf(ms: number): Uint8Array {
  if (!Number.isSafeInteger(ms)) throw new RangeError(`A clock offset is a whole number of ms, not ${ms}`)
  return new Uint8Array(BigInt64Array.of(BigInt(ms)).buffer)
}
