import { configError, RateLimitError } from '../model/errors.js'
import { digest, type Key, toKey } from '../model/key.js'
import { chain } from '../model/maybe-promise.js'
import type { MaybePromise } from '../model/store.js'
import { checkOptions } from '../model/suggest.js'
import { type ClientAddressOptions, clientAddress } from './client-address.js'
import type { RequestView } from './request-view.js'

/** Whom a request counts for. Nothing (`undefined`) lets `firstOf` go on; as a final answer it is an error. */
export type KeyFunction<Ctx = unknown> = (ctx: Ctx, view: RequestView) => MaybePromise<Key | undefined>

/** By client address: the socket's, or behind proxies that `trust` names the right-most address that is no proxy. */
export function byIp(options: ClientAddressOptions = {}): KeyFunction {
  const address = clientAddress(options)
  return (_ctx, view) => address(view)
}

/** By the value of a header. Take it only where something you run sets it: a client may send what it likes. */
export function byHeader(name: string): KeyFunction {
  const header = checkHeader(name, 'byHeader')
  return (_ctx, view) => literal(view.header(header))
}

/**
 * By API key, as a hash: the key itself reaches no store. `known` says whether a key is one of yours; one that is not
 * gives nothing, or every made-up key would be a fresh quota.
 */
export function byApiKey<Ctx = unknown>(options: {
  /** Where the key stands. In `authorization` it follows a scheme such as `Bearer`. @default 'x-api-key' */
  readonly header?: string | undefined
  readonly known: (key: string, ctx: Ctx) => MaybePromise<boolean>
  /** Hashes with HMAC, so that who reads Redis can't test guessed keys. */
  readonly hashSecret?: string | undefined
}): KeyFunction<Ctx> {
  checkOptions('byApiKey', options, ['header', 'known', 'hashSecret'])
  const { known, hashSecret } = options
  const header = checkHeader(options.header ?? 'x-api-key', 'byApiKey: header')
  if (typeof known !== 'function')
    throw configError('byApiKey: known', known, 'is a function (key, ctx) => boolean')
  if (hashSecret !== undefined && (typeof hashSecret !== 'string' || hashSecret === ''))
    throw configError('byApiKey: hashSecret', typeof hashSecret, 'takes a text that is not empty')
  return (ctx, view) => {
    const value = view.header(header)
    const key = header === 'authorization' ? credentials(value) : value?.trim()
    if (key === undefined || key === '') return undefined
    return chain(known(key, ctx), (isKnown) => (isKnown === true ? `#${digest(key, hashSecret)}` : undefined))
  }
}

/** By the template of the matched route (`/users/:id`), so for a limiter that is attached to routes. */
export function byRoute(): KeyFunction {
  return (_ctx, view) => {
    if (view.route !== undefined) return view.route
    throw new RateLimitError(
      'RL_KEY',
      'byRoute: no route has matched yet; attach the limiter to the route itself',
    )
  }
}

/** By all of them together; nothing if one gives nothing. Different parts never make the same key. */
export function compose<Ctx = unknown>(...parts: readonly KeyFunction<Ctx>[]): KeyFunction<Ctx> {
  checkParts('compose', parts)
  return (ctx, view) => {
    const joined = (i: number, text: string): MaybePromise<string | undefined> => {
      const part = parts[i]
      if (part === undefined) return text
      return chain(part(ctx, view), (key) => {
        if (key === undefined) return undefined
        return joined(i + 1, i === 0 ? escapePart(key) : `${text}|${escapePart(key)}`)
      })
    }
    return joined(0, '')
  }
}

/** By the first that gives a key. */
export function firstOf<Ctx = unknown>(...choices: readonly KeyFunction<Ctx>[]): KeyFunction<Ctx> {
  checkParts('firstOf', choices)
  return (ctx, view) => {
    const from = (i: number): MaybePromise<Key | undefined> => {
      const choice = choices[i]
      if (choice === undefined) return undefined
      return chain(choice(ctx, view), (key) => key ?? from(i + 1))
    }
    return from(0)
  }
}

/** Text from the wire as a key; a leading `#`, the mark of a hash, is doubled. */
function literal(text: string | undefined): string | undefined {
  const value = text?.trim()
  if (value === undefined || value === '') return undefined
  return value.startsWith('#') ? `#${value}` : value
}

const SCHEME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ +(\S.*)$/

function credentials(authorization: string | undefined): string | undefined {
  return SCHEME.exec(authorization?.trim() ?? '')?.[1]
}

/** Of a part that is no key itself, an error: it must not become one by being joined. */
function escapePart(key: Key): string {
  return toKey(key).replaceAll('%', '%25').replaceAll('|', '%7C')
}

const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/

function checkHeader(name: string, option: string): string {
  if (typeof name === 'string' && FIELD_NAME.test(name)) return name.toLowerCase()
  throw configError(option, name, 'takes the name of a header field')
}

function checkParts(where: string, parts: readonly unknown[]): void {
  const wrong = parts.findIndex((part) => typeof part !== 'function')
  if (wrong >= 0 || parts.length === 0)
    throw configError(where, parts[wrong], 'takes key functions, at least one')
}
