import { type Counted, type Decision, RateLimitError } from '@rl/core'
import { ApiError } from '../http/api-error.js'
import { durationText } from './duration-text.js'
import { rateFields } from './rate-fields.js'

/** What was asked for. */
export interface Asked {
  readonly model: string
  readonly tokens: number
}

/** What the client is told of a refusal: which limit, and when to come back. */
export function refusal(decision: Decision, asked: Asked): ApiError {
  if (!decision.counted) throw new RateLimitError('RL_STORE', 'nobody refuses without counting here')
  const { type, message } = textsOf(decision, asked)
  const wait = decision.retryAfterMs
  const advice = wait === null ? 'It can never pass.' : `Please try again in ${durationText(wait)}.`
  return new ApiError(429, `${message} ${advice}`, {
    type,
    code: 'rate_limit_exceeded',
    fields: rateFields(decision),
  })
}

function textsOf({ policy, limit, used, retryAfterMs }: Counted, { model, tokens }: Asked) {
  const counts = `Limit ${limit}, Used ${used}, Requested ${policy === 'tokens' ? tokens : 1}.`
  if (policy === 'model') {
    return {
      type: 'model_requests',
      message: `Rate limit reached for model ${model}, shared by all users, on requests per second (RPS): ${counts}`,
    }
  }
  const unit = policy === 'tokens' ? 'tokens per min (TPM)' : 'requests per min (RPM)'
  const what = retryAfterMs === null ? 'Request too large' : 'Rate limit reached'
  return { type: policy, message: `${what} for your key on ${unit}: ${counts}` }
}
