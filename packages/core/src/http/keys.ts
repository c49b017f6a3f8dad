import { configError, RateLimitError } from '../model/errors.js'
import { type Key, toKey } from '../model/key.js'
import { chain } from '../model/maybe-promise.js'
import type { MaybePromise } from '../model/store.js'
import { checkOptions } from '../model/suggest.js'
import { firstAddressOf, goesBy } from './address-of.js'
import { type ClientAddressOptions, clientAddress } from './client-address.js'
import { checkHeader } from './field-name.js'
import { type Normalise, toNormaliser } from './normalise.js'
import type { RequestView } from './request-view.js'

/** Whom a request counts for. Nothing (`undefined`) lets `firstOf` go on; as a final answer it is an error. */
export type KeyFunction<Ctx = unknown> = (ctx: Ctx, view: RequestView) => MaybePromise<Key | undefined>

/** By client address: the socket's, or behind proxies that `trust` names the right-most address that is no proxy. */
export function byIp(options: ClientAddressOptions = {}): KeyFunction {
  const address = clientAddress(options)
  return goesBy((_ctx: unknown, view: RequestView) => address(view), address)
}

export interface HeaderOptions {
  /** Which spellings are one: `true` trims, lower-cases and composes (NFC). @default false, blanks around it trimmed */
  readonly normalise?: Normalise | undefined
}

/** By the value of a header. Take it only where something you run sets it: a client may send what it likes. */
export function byHeader(name: string, options: HeaderOptions = {}): KeyFunction {
  const header = checkHeader(name, 'byHeader')
  checkOptions('byHeader', options, ['normalise'])
  const normalise = toNormaliser(options.normalise, 'byHeader: normalise')
  return (_ctx, view) => {
    const value = view.header(header)
    return value === undefined ? undefined : literal(normalise(value))
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
  const composed: KeyFunction<Ctx> = (ctx, view) => {
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
  return goesBy(composed, firstAddressOf(parts))
}

/** By the first that gives a key. */
export function firstOf<Ctx = unknown>(...choices: readonly KeyFunction<Ctx>[]): KeyFunction<Ctx> {
  checkParts('firstOf', choices)
  const first: KeyFunction<Ctx> = (ctx, view) => {
    const from = (i: number): MaybePromise<Key | undefined> => {
      const choice = choices[i]
      if (choice === undefined) return undefined
      return chain(choice(ctx, view), (key) => key ?? from(i + 1))
    }
    return from(0)
  }
  return goesBy(first, firstAddressOf(choices))
}

/** What the keys of users begin with. */
export const USER_MARK = 'user:'

/** Text from the wire as a key: one that begins like a hash or a user gets a `#` before it, which neither has. */
function literal(text: string): string | undefined {
  const value = text.trim()
  if (value === '') return undefined
  return value.startsWith('#') || value.startsWith(USER_MARK) ? `#${value}` : value
}

/** Of a part that is no key itself, an error: it must not become one by being joined. */
function escapePart(key: Key): string {
  return toKey(key).replaceAll('%', '%25').replaceAll('|', '%7C')
}

function checkParts(where: string, parts: readonly unknown[]): void {
  const wrong = parts.findIndex((part) => typeof part !== 'function')
  if (wrong >= 0 || parts.length === 0)
    throw configError(where, parts[wrong], 'takes key functions, at least one')
}
