import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** A header field: its name and its value. */
export type Field = readonly [name: string, value: string]

export interface ApiErrorOptions {
  /** The kind, such as `invalid_request_error`. */
  readonly type: string
  readonly code?: string | null
  /** The parameter that is wrong. */
  readonly param?: string | null
  readonly fields?: readonly Field[]
}

/** An answer that OpenAI's clients understand as an error. */
export class ApiError extends Error {
  readonly status: ContentfulStatusCode
  readonly fields: readonly Field[]
  /** What the client is told. */
  readonly body: ErrorBody

  constructor(status: ContentfulStatusCode, message: string, options: ApiErrorOptions) {
    super(message)
    const { type, code = null, param = null, fields = [] } = options
    this.status = status
    this.fields = fields
    this.body = { error: { message, type, param, code } }
  }
}

export interface ErrorBody {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string | null
  }
}

/** 400: the client sent what can't be meant. */
export function invalid(message: string, param: string | null = null): ApiError {
  return new ApiError(400, message, { type: 'invalid_request_error', param })
}
