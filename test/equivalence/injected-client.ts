import { createHash } from 'node:crypto'
import type { ScriptClient } from '@rl/core/redis'
import type { InjectedScript } from './injected-scripts.js'

/** Begins a question that may be answered at any time. */
const ALWAYS = `[${Number.MAX_SAFE_INTEGER},${Number.MAX_SAFE_INTEGER}`

/** A client through which a Redis store counts by a clock of the test. */
export function withClock(
  client: ScriptClient,
  scripts: ReadonlyMap<string, InjectedScript>,
  now: () => number,
): ScriptClient {
  const scriptOf = (sha: string): InjectedScript => {
    const script = scripts.get(sha)
    if (script === undefined) throw new RangeError('no such script')
    return script
  }
  // The bounds that the store gave are of the server's own clock, which does not jump about as this one does.
  const timed = (keys: number, list: string[]): string[] => {
    const [question = ''] = list.splice(keys)
    return [...list, question.replace(/^\[\d+,\d+/, ALWAYS), String(now())]
  }
  return {
    evalshaBuffer: (sha, keys, ...list) =>
      client.evalshaBuffer(scriptOf(sha).sha, keys, ...timed(keys, list)),
    evalBuffer(text, keys, ...list) {
      const sha = createHash('sha1').update(text).digest('hex')
      return client.evalBuffer(scriptOf(sha).text, keys, ...timed(keys, list))
    },
    del: (...keys) => client.del(...keys),
    ...(client.isCluster === undefined ? {} : { isCluster: client.isCluster }),
  }
}
