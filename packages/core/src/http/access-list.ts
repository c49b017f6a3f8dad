import { configError, isRateLimitError, show } from '../model/errors.js'
import { type Key, toKey } from '../model/key.js'
import type { Logger } from '../model/logger.js'
import { checkOptions } from '../model/suggest.js'
import { type IpRanges, ipRanges } from './cidr.js'
import type { FromRequest } from './from-request.js'

/** Whom a list names: by address, by key, or by what a function says. One of them is enough to be on it. */
export interface AccessList<Ctx> {
  /** Addresses and ranges, as for `trust`: `10.0.0.0/8`, `2001:db8::/32`, `loopback`, `private`, `linklocal`. */
  readonly ips?: string | readonly string[] | undefined
  /** Keys as `key` gives them and as results show them: `user:42`. */
  readonly keys?: readonly Key[] | undefined
  /** Asked each time, so that a list may change while it runs. */
  readonly when?: FromRequest<Ctx, boolean> | undefined
}

export interface DenyList<Ctx> extends AccessList<Ctx> {
  /** What those on it are answered. @default 403 */
  readonly status?: 403 | 429 | undefined
}

/** A list, checked and ready to be asked. */
export interface CompiledList<Ctx> {
  readonly ips: IpRanges | undefined
  readonly keys: ReadonlySet<string>
  readonly when: FromRequest<Ctx, boolean> | undefined
}

type Given<Ctx> = AccessList<Ctx> | FromRequest<Ctx, boolean> | undefined

/** @throws RateLimitError `RL_CONFIG` naming the list and the entry. */
export function compileAllow<Ctx>(given: Given<Ctx>, logger: Logger): CompiledList<Ctx> {
  const list = compile(given, 'allow', ['ips', 'keys', 'when'])
  const { boundless = [] } = list.ips ?? {}
  if (boundless.length > 0)
    logger.warn(
      `allow.ips: ${boundless.map((range) => show(range)).join(' and ')} is every address of its kind: nobody is limited.`,
    )
  return list
}

/** @throws RateLimitError `RL_CONFIG` naming the list and the entry. */
export function compileDeny<Ctx>(given: Given<Ctx>): CompiledList<Ctx> {
  return compile(given, 'deny', ['ips', 'keys', 'when', 'status'])
}

/** @throws RateLimitError `RL_CONFIG` */
export function denyStatus<Ctx>(given: DenyList<Ctx> | FromRequest<Ctx, boolean> | undefined): 403 | 429 {
  const { status = 403 } = typeof given === 'object' ? given : {}
  if (status === 403 || status === 429) return status
  throw configError('deny.status', status, 'is 403 or 429')
}

function compile<Ctx>(given: Given<Ctx>, name: string, options: readonly string[]): CompiledList<Ctx> {
  if (given === undefined) return { ips: undefined, keys: new Set(), when: undefined }
  if (typeof given === 'function') return { ips: undefined, keys: new Set(), when: given }
  checkOptions(name, given, options)
  const { ips, keys = [], when } = given
  if (when !== undefined && typeof when !== 'function')
    throw configError(`${name}.when`, when, 'takes a function')
  if (!Array.isArray(keys)) throw configError(`${name}.keys`, keys, 'takes keys as an array')
  return {
    ips: ips === undefined ? undefined : ipRanges(ips, `${name}.ips`),
    keys: new Set(keys.map((key) => keyText(key, `${name}.keys`))),
    when,
  }
}

function keyText(key: unknown, option: string): string {
  try {
    return toKey(key)
  } catch (error) {
    if (!isRateLimitError(error)) throw error
    throw configError(option, key, 'takes non-empty strings, safe integers and bigints')
  }
}
