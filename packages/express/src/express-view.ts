import type { IncomingHttpHeaders } from 'node:http'
import type { RequestView } from '@rl/core/http'
import type { Request } from 'express'

/**
 * Express's request as core sees it. `req.ip` is left alone: it may be what a client wrote. Each look at `req` is taken
 * once, and nothing is hung on it: Express gives every request a shape of its own, for which V8 has no fast path.
 */
export class ExpressView implements RequestView {
  readonly carrier: object
  readonly #req: Request
  #headers: IncomingHttpHeaders | undefined

  constructor(req: Request, locals: object) {
    this.#req = req
    this.carrier = locals
  }

  get method(): string {
    return this.#req.method
  }

  get peer(): string | undefined {
    return this.#req.socket.remoteAddress
  }

  /** Without the mount path, which Express knows only as the client spelt it. */
  get route(): string | undefined {
    const path: unknown = this.#req.route?.path
    return path === undefined ? undefined : String(path)
  }

  header(name: string): string | undefined {
    this.#headers ??= this.#req.headers
    const value = this.#headers[name]
    return typeof value === 'string' ? value : value?.join(', ')
  }
}
