import type { RequestView } from '@rl/core/http'
import type { Context } from 'koa'

/** Koa's context as core sees it. `ctx.ip` is left alone: with `app.proxy` it is what a client wrote. */
export class KoaView implements RequestView {
  readonly #ctx: Context

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  get carrier(): object {
    return this.#ctx.req
  }

  get method(): string {
    return this.#ctx.method
  }

  get peer(): string | undefined {
    return this.#ctx.req.socket.remoteAddress
  }

  /** Set by @koa/router, prefix included, so only inside a router. */
  get route(): string | undefined {
    const route: unknown = this.#ctx._matchedRoute
    return route === undefined ? undefined : String(route)
  }

  header(name: string): string | undefined {
    const value = this.#ctx.req.headers[name]
    return typeof value === 'string' ? value : value?.join(', ')
  }
}
