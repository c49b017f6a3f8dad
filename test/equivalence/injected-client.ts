import { createHash } from 'node:crypto'
import type { RedisClient } from '@rl/core/redis'
import type { InjectedScript } from './injected-scripts.js'

/** A client through which a Redis store counts by a clock of the test. */
export function withClock(
  client: RedisClient,
  scripts: ReadonlyMap<string, InjectedScript>,
  now: () => number,
): RedisClient {
  const scriptOf = (sha: string): InjectedScript => {
    const script = scripts.get(sha)
    if (script === undefined) throw new RangeError('no such script')
    return script
  }
  // The bounds that the store gave are of the server's own clock, which does not jump about as this one does.
  const timed = ({ boundsAt }: InjectedScript, keys: number, list: string[]): string[] => {
    list.splice(keys + boundsAt, 2, '0', String(Number.MAX_SAFE_INTEGER))
    return [...list, String(now())]
  }
  return {
    evalsha(sha, keys, ...list) {
      const script = scriptOf(sha)
      return client.evalsha(script.sha, keys, ...timed(script, keys, list))
    },
    eval(text, keys, ...list) {
      const script = scriptOf(createHash('sha1').update(text).digest('hex'))
      return client.eval(script.text, keys, ...timed(script, keys, list))
    },
    del: (...keys) => client.del(...keys),
    ...(client.isCluster === undefined ? {} : { isCluster: client.isCluster }),
  }
}
