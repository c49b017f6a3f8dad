import { createHash } from 'node:crypto'
import { assemble, part } from '../../packages/core/scripts/build-lua.mjs'
import { SCRIPTS, type ScriptName } from '../../packages/core/src/redis/scripts.gen.js'

/** A script that reads the time from its last argument. */
export interface InjectedScript {
  readonly text: string
  readonly sha: string
}

/**
 * The scripts by the SHA of those that they stand in for. Only tests have them: with an injected clock, that may say 1970, rows and
 * lists that never expire, since Redis has a clock of its own, and logs in blocks of another size, of which as many entries
 * stand in the row as `kept` says: by default no more than a block.
 */
export function injectedScripts(
  block: number,
  kept = Math.min(12, block),
): ReadonlyMap<string, InjectedScript> {
  const parts = {
    time: INJECTED_TIME,
    words: replaceOnce(part('words'), 'LONG_AGO = 4294967296', 'LONG_AGO = -1'),
    writing: replaceOnce(part('writing'), 'ends > now', 'true'),
    'log-blocks': replaceOnce(
      replaceOnce(part('log-blocks'), 'local BLOCK = 256', `local BLOCK = ${block}`),
      'local KEPT = 12',
      `local KEPT = ${kept}`,
    ),
  }
  const names = Object.keys(SCRIPTS) as ScriptName[]
  return new Map(
    names.map((name) => {
      const text = `#!lua\n${assemble(name, parts)}`
      const sha = createHash('sha1').update(text).digest('hex')
      return [SCRIPTS[name].sha, { text, sha }]
    }),
  )
}

/** An expiry must be a whole time to come, or the one that a key has; it is checked, and then left out. All seem to have one. */
const INJECTED_TIME = `
local now = tonumber(table.remove(ARGV))
local micros = now % 1000 * 1000
local function check_expiry(given) local ms = tonumber(given); assert(ms > 0 and ms % 1 == 0 and ms < 2^60, 'expiry ' .. tostring(ms)) end
local function call(name, key, ...)
  local rest = { ... }
  if name == 'SET' then
    if rest[#rest] == 'KEEPTTL' then
      assert(redis.call('EXISTS', key) == 1, 'no expiry to keep')
      return redis.call('SET', key, unpack(rest, 1, #rest - 1))
    end
    assert(rest[#rest - 1] == 'PX', 'SET without PX')
    check_expiry(rest[#rest])
    return redis.call('SET', key, unpack(rest, 1, #rest - 2))
  end
  if name == 'PTTL' then
    return redis.call('EXISTS', key) == 1 and 1 or -2
  end
  if name == 'PEXPIRE' then
    assert(#rest == 1)
    check_expiry(rest[1])
    return 1
  end
  return redis.call(name, key, ...)
end
`

export function replaceOnce(text: string, from: string, to: string): string {
  const pieces = text.split(from)
  if (pieces.length !== 2) throw new Error(`"${from}" is ${pieces.length - 1} times in the part, not once`)
  return pieces.join(to)
}
