import type { RequestView } from '@rl/core/http'
import type { FastifyRequest } from 'fastify'

/** Fastify's request as core sees it. `request.ip` is left alone: it may be what a client wrote. */
export class FastifyView implements RequestView {
  readonly #request: FastifyRequest

  constructor(request: FastifyRequest) {
    this.#request = request
  }

  get carrier(): object {
    return this.#request.raw
  }

  get method(): string {
    return this.#request.method
  }

  get peer(): string | undefined {
    return this.#request.raw.socket?.remoteAddress
  }

  get route(): string | undefined {
    return this.#request.routeOptions.url
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name]
    return typeof value === 'string' ? value : value?.join(', ')
  }
}
