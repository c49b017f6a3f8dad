import type { Uncounted } from '../model/decision.js'
import { configError } from '../model/errors.js'
import { toKey } from '../model/key.js'
import { type Logger, toLogger } from '../model/logger.js'
import { chain } from '../model/maybe-promise.js'
import type { MaybePromise } from '../model/store.js'
import {
  type AccessList,
  type CompiledList,
  compileAllow,
  compileDeny,
  type DenyList,
  denyStatus,
} from './access-list.js'
import { addressOf } from './address-of.js'
import type { ClientAddress } from './client-address.js'
import { checkBoolean, type FromRequest } from './from-request.js'
import type { KeyFunction } from './keys.js'
import { denialOf, type Refusal } from './problem.js'
import type { RequestView } from './request-view.js'

export interface AccessOptions<Ctx> {
  /** Who is never limited: passed uncounted, without fields. */
  readonly allow?: AccessList<Ctx> | FromRequest<Ctx, boolean> | undefined
  /** Who is never served, also when on `allow`: answered at once, uncounted and without fields. */
  readonly deny?: DenyList<Ctx> | FromRequest<Ctx, boolean> | undefined
  /** A `byIp(…)`, by whose address `ips` of both lists go. @default the `byIp(…)` in `key` */
  readonly address?: KeyFunction<Ctx> | undefined
}

/** What lists say of a request: passed or refused, uncounted. Nothing where none names it. */
export type Ruling = Uncounted | undefined

const EXEMPT: Uncounted = { counted: false, allowed: true, source: 'none', reason: 'exempt' }
const DENIED: Uncounted = { counted: false, allowed: false, source: 'none', reason: 'denied' }

/** The lists of a limiter, or nothing where it has none. @throws RateLimitError `RL_CONFIG` */
export function accessOf<Ctx>(
  options: AccessOptions<Ctx> & { readonly logger?: Logger | undefined },
  key: KeyFunction<Ctx>,
): Access<Ctx> | undefined {
  if (options.address !== undefined && addressOf(options.address) === undefined)
    throw configError('address', options.address, 'takes byIp(…)')
  if (options.allow === undefined && options.deny === undefined) return undefined
  return new Access(options, key)
}

export class Access<Ctx> {
  readonly #allow: CompiledList<Ctx>
  readonly #deny: CompiledList<Ctx>
  readonly #status: 403 | 429
  readonly #key: KeyFunction<Ctx>
  /** Undefined where no list has addresses. */
  readonly #address: ClientAddress | undefined

  constructor(options: AccessOptions<Ctx> & { readonly logger?: Logger | undefined }, key: KeyFunction<Ctx>) {
    this.#allow = compileAllow(options.allow, toLogger(options.logger))
    this.#deny = compileDeny(options.deny)
    this.#status = denyStatus(options.deny)
    this.#key = key
    const hasIps = this.#allow.ips !== undefined || this.#deny.ips !== undefined
    this.#address = hasIps ? addressFor(options, key) : undefined
  }

  /** Before anything is asked of the request. */
  ofRequest(view: RequestView, ctx: Ctx): MaybePromise<Ruling> {
    const [allow, deny] = [this.#allow, this.#deny]
    const client = this.#address?.clientOf(view)
    if (client !== undefined && deny.ips?.matches(client)) return DENIED
    return chain(ask(deny, 'deny', view, ctx), (isDenied) => {
      if (isDenied) return DENIED
      if (client !== undefined && allow.ips?.matches(client) && this.#address?.isProven(view, client))
        return this.#exempt(view, ctx)
      return chain(ask(allow, 'allow', view, ctx), (isAllowed) =>
        isAllowed ? this.#exempt(view, ctx) : undefined,
      )
    })
  }

  /** Once it is known whom the request counts for; `key` as a store sees it. */
  ofKey(key: string): Ruling {
    if (this.#deny.keys.has(key)) return DENIED
    return this.#allow.keys.has(key) ? EXEMPT : undefined
  }

  /** What a denied client reads. */
  refusal(view: RequestView): Refusal {
    return denialOf(this.#status, view.header('accept'))
  }

  /** Who is on both lists is denied, be it by address on the one and by key on the other. */
  #exempt(view: RequestView, ctx: Ctx): MaybePromise<Ruling> {
    if (this.#deny.keys.size === 0) return EXEMPT
    return chain(this.#key(ctx, view), (key) =>
      key !== undefined && this.#deny.keys.has(toKey(key)) ? DENIED : EXEMPT,
    )
  }
}

function ask<Ctx>(
  { when }: CompiledList<Ctx>,
  name: string,
  view: RequestView,
  ctx: Ctx,
): MaybePromise<boolean> {
  return when !== undefined && chain(when(ctx, view), (answer) => checkBoolean(answer, name))
}

function addressFor<Ctx>(options: AccessOptions<Ctx>, key: KeyFunction<Ctx>): ClientAddress {
  const address = addressOf(options.address ?? key)
  if (address !== undefined) return address
  throw configError('ips', options.address, 'need address: byIp(…), as key has no byIp(…) to take it from')
}
