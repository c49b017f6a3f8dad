import type { RequestView } from '@rl/core/http'
import type { Request } from 'express'

/**
 * Express's request as core sees it. `req.ip` is left alone: it may be what a client wrote. Each look at `req` is taken
 * once, and nothing is hung on it: Express gives every request a shape of its own, for which V8 has no fast path.
 */
export class ExpressView implements RequestView {
  readonly carrier: Request
  readonly holder: object
  #headers: Request['headers'] | undefined

  constructor(req: Request, locals: object) {
    this.carrier = req
    this.holder = locals
  }

  get method(): string {
    return this.carrier.method
  }

  get peer(): string | undefined {
    return this.carrier.socket.remoteAddress
  }

  /** Without the mount path, which Express knows only as the client spelt it. */
  get route(): string | undefined {
    const path: unknown = this.carrier.route?.path
    return path === undefined ? undefined : String(path)
  }

  header(name: string): string | undefined {
    this.#headers ??= this.carrier.headers
    const value = this.#headers[name]
    return typeof value === 'string' ? value : value?.join(', ')
  }
}
