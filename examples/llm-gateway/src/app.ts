import { noopLimiter, type Store } from '@rl/core'
import { rateLimit } from '@rl/hono'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { answerChat, type ChatParts } from './chat/answer-chat.js'
import { toChatRequest } from './chat/chat-request.js'
import type { Profiles } from './config.js'
import { ApiError } from './http/api-error.js'
import { bearerKey } from './http/bearer-key.js'
import { onError } from './http/on-error.js'
import { rateFields } from './limits/rate-fields.js'
import type { User } from './users/user.js'
import { type FindUser, UsersUnavailable } from './users/users.js'

export interface AppParts extends ChatParts {
  readonly findUser: FindUser
  readonly models: readonly string[]
  readonly profiles: Profiles
  readonly defaultMaxTokens: number
  readonly maxBodyBytes: number
  /** Where counts are; undefined: nothing is counted. */
  readonly store: Store | undefined
}

interface Env {
  Variables: { user: User }
}

/** The gateway without its socket. */
export function createApp(parts: AppParts): Hono<Env> {
  const { models, maxBodyBytes } = parts
  const app = new Hono<Env>()
  app.get('/health', (c) =>
    c.json({ status: 'ok', counting: counting(parts.store), inFlight: parts.upstreams.inFlight() }),
  )
  app.use('/v1/*', async (c, next) => {
    c.set('user', await userOf(c, parts.findUser))
    await next()
  })
  // It costs no tokens, and nobody needs it often: the adapter will do.
  app.get('/v1/models', listLimit(parts.store), (c) =>
    c.json({
      object: 'list',
      data: models.map((id) => ({ id, object: 'model', created: 0, owned_by: 'llm-gateway' })),
    }),
  )
  app.post('/v1/chat/completions', bodyLimit({ maxSize: maxBodyBytes, onError: tooLarge }), async (c) => {
    const request = toChatRequest(await c.req.text(), parts.defaultMaxTokens)
    if (!models.includes(request.model)) throw noSuchModel(request.model)
    // A profile that is not there limits nothing, as none does; the answer names the one that was taken.
    const profile = parts.profiles.get(c.req.header('config-profile') ?? '')
    return answerChat(parts, { request, user: c.var.user, profile, signal: c.req.raw.signal })
  })
  app.notFound((c) => onError(noSuchPath(), c))
  app.onError(onError)
  return app
}

async function userOf(c: Context, findUser: FindUser): Promise<User> {
  const key = bearerKey(c.req.header('authorization'))
  const user = key && (await findUser(key).catch(unavailable))
  if (user) return user
  const message = key
    ? 'Incorrect API key provided.'
    : 'You did not provide an API key: Authorization: Bearer KEY.'
  throw new ApiError(401, message, { type: 'invalid_request_error', code: 'invalid_api_key' })
}

/** Not the limiter's fault: who the client is can't be known, and nobody may pass unknown. */
function unavailable(error: unknown): never {
  if (!(error instanceof UsersUnavailable)) throw error
  const fields = [['retry-after', '1']] as const
  throw new ApiError(503, 'API keys can not be checked at the moment.', { type: 'server_error', fields })
}

function listLimit(store: Store | undefined) {
  return rateLimit<Context<Env>>({
    ...(store === undefined ? { limiter: noopLimiter() } : { name: 'models', limit: '60/1m', store }),
    key: (c) => c.var.user.id,
    headers: false,
    onLimited: (c, result) => {
      const message = 'Rate limit reached for your key on lists of models: Limit 60 a minute.'
      const fields = rateFields(result)
      return onError(new ApiError(429, message, { type: 'requests', code: 'rate_limit_exceeded', fields }), c)
    },
  })
}

function tooLarge(): never {
  // The rest of the body is not read, so the connection is of no more use.
  const fields = [['connection', 'close']] as const
  throw new ApiError(413, 'The body of the request is too large.', { type: 'invalid_request_error', fields })
}

function noSuchModel(model: string): ApiError {
  const message = `The model '${model}' does not exist.`
  return new ApiError(404, message, {
    type: 'invalid_request_error',
    param: 'model',
    code: 'model_not_found',
  })
}

function noSuchPath(): ApiError {
  return new ApiError(404, 'There is no such path.', { type: 'invalid_request_error', code: 'unknown_url' })
}

function counting(store: Store | undefined): string {
  if (store === undefined) return 'nothing'
  return store.available?.() === false ? 'in this process, as Redis is gone' : 'in Redis'
}
