import { createHash } from 'node:crypto'
import type { RedisClient } from '@rl/core/redis'
import type { InjectedScript } from './injected-scripts.js'

const ALWAYS = String(Number.MAX_SAFE_INTEGER)

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
  return {
    callBuffer(command, given = '', count = '', ...list) {
      const script = scriptOf(command === 'eval' ? createHash('sha1').update(given).digest('hex') : given)
      // The bounds that the store gave are of the server's own clock, which does not jump about as this one does.
      const [, question = ''] = list.splice(Number(count), 2)
      const always = [ALWAYS, question.replace(/^\[\d+/, `[${ALWAYS}`)]
      const text = command === 'eval' ? script.text : script.sha
      return client.callBuffer(command, text, count, ...list, ...always, String(now()))
    },
    del: (...keys) => client.del(...keys),
    ...(client.isCluster === undefined ? {} : { isCluster: client.isCluster }),
  }
}
