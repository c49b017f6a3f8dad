import type { RequestView } from '@rl/core/http'
import type { FastifyRequest } from 'fastify'

/** Fastify's request as core sees it. `request.ip` is left alone: it may be what a client wrote. */
export class FastifyView implements RequestView {
  readonly holder: FastifyRequest

  constructor(request: FastifyRequest) {
    this.holder = request
  }

  get carrier(): object {
    return this.holder.raw
  }

  get method(): string {
    return this.holder.method
  }

  get peer(): string | undefined {
    return this.holder.raw.socket?.remoteAddress
  }

  get route(): string | undefined {
    return this.holder.routeOptions.url
  }

  header(name: string): string | undefined {
    const value = this.holder.headers[name]
    return typeof value === 'string' ? value : value?.join(', ')
  }
}
