import type { RequestView } from '@rl/core/http'
import type { Context } from 'hono'

/** What Hono's `getConnInfo` of any runtime gives, as far as it is needed. */
export type GetConnInfo = (c: Context) => { readonly remote: { readonly address?: string | undefined } }

/** Hono's context as core sees it. */
export class HonoView implements RequestView {
  readonly #getConnInfo: GetConnInfo | undefined
  readonly carrier: Context

  constructor(c: Context, getConnInfo: GetConnInfo | undefined) {
    this.carrier = c
    this.#getConnInfo = getConnInfo
  }

  get method(): string {
    return this.carrier.req.method
  }

  /** Where the runtime knows no connection, as in `app.request()`, it gives nothing or throws. */
  get peer(): string | undefined {
    try {
      return this.#getConnInfo?.(this.carrier)?.remote?.address
    } catch {
      return undefined
    }
  }

  /** The last match is the handler's; those before it are middleware. */
  get route(): string | undefined {
    return this.carrier.req.matchedRoutes.at(-1)?.path
  }

  header(name: string): string | undefined {
    return this.carrier.req.raw.headers.get(name) ?? undefined
  }
}
