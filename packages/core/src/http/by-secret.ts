import { configError } from '../model/errors.js'
import { digest } from '../model/key.js'
import { chain } from '../model/maybe-promise.js'
import type { MaybePromise } from '../model/store.js'
import { checkOptions } from '../model/suggest.js'
import { cookieValue } from './cookie.js'
import { checkHeader } from './field-name.js'
import type { KeyFunction } from './keys.js'

/** How a secret that a client sends becomes a key. */
export interface SecretOptions<Ctx> {
  /** Whether it is one of yours. One that is not gives nothing, or every made-up one would be a fresh quota. */
  readonly known: (secret: string, ctx: Ctx) => MaybePromise<boolean>
  /** Hashes with HMAC, so that who reads Redis can't test guessed secrets. */
  readonly hashSecret?: string | undefined
}

export interface ApiKeyOptions<Ctx> extends SecretOptions<Ctx> {
  /** Where the key stands. In `authorization` it follows a scheme such as `Bearer`. @default 'x-api-key' */
  readonly header?: string | undefined
}

/** By API key, as a hash: the key itself reaches no store. `known` says whether a key is one of yours. */
export function byApiKey<Ctx = unknown>(options: ApiKeyOptions<Ctx>): KeyFunction<Ctx> {
  checkOptions('byApiKey', options, ['header', 'known', 'hashSecret'])
  checkSecret('byApiKey', options)
  const { known, hashSecret } = options
  const header = checkHeader(options.header ?? 'x-api-key', 'byApiKey: header')
  return (ctx, view) => {
    const value = view.header(header)
    const key = header === 'authorization' ? credentials(value) : value?.trim()
    if (key === undefined || key === '') return undefined
    return chain(known(key, ctx), (isKnown) => (isKnown === true ? `#${digest(key, hashSecret)}` : undefined))
  }
}

/**
 * By a cookie such as a session's, as a hash: its value reaches no store. `known` says whether a session is one of yours;
 * it gets the value without quotes and percent-encoding. A signed cookie is checked there, not here.
 */
export function byCookie<Ctx = unknown>(name: string, options: SecretOptions<Ctx>): KeyFunction<Ctx> {
  if (typeof name !== 'string' || !COOKIE_NAME.test(name))
    throw configError('byCookie', name, 'takes the name of a cookie')
  checkOptions('byCookie', options, ['known', 'hashSecret'])
  checkSecret('byCookie', options)
  const { known, hashSecret } = options
  return (ctx, view) => {
    const value = cookieValue(view.header('cookie'), name)
    if (value === undefined || value === '') return undefined
    return chain(known(value, ctx), (isKnown) =>
      // With a colon, which the hash of an API key has not, and with the name: equal values of two cookies are two.
      isKnown === true ? `#cookie:${digest(`${name}=${value}`, hashSecret)}` : undefined,
    )
  }
}

const COOKIE_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/
const SCHEME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ +(\S.*)$/

function credentials(authorization: string | undefined): string | undefined {
  return SCHEME.exec(authorization?.trim() ?? '')?.[1]
}

function checkSecret<Ctx>(where: string, { known, hashSecret }: SecretOptions<Ctx>): void {
  if (typeof known !== 'function')
    throw configError(`${where}: known`, known, 'is a function (key, ctx) => boolean')
  if (hashSecret !== undefined && (typeof hashSecret !== 'string' || hashSecret === ''))
    throw configError(`${where}: hashSecret`, typeof hashSecret, 'takes a text that is not empty')
}
