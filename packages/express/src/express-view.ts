import type { RequestView } from '@rl/core/http'
import type { Request } from 'express'

/** Express's request as core sees it. `req.ip` is left alone: it may be what a client wrote. */
export class ExpressView implements RequestView {
  readonly carrier: Request

  constructor(req: Request) {
    this.carrier = req
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
    const value = this.carrier.headers[name]
    return typeof value === 'string' ? value : value?.join(', ')
  }
}
