import { z } from 'zod'
import { invalid } from '../http/api-error.js'
import { promptTokens } from './prompt-tokens.js'

/** A chat request that can be passed on. */
export interface ChatRequest {
  readonly model: string
  readonly stream: boolean
  /** Whether the client wants to see the usage at the end of a stream. */
  readonly wantsUsage: boolean
  readonly promptTokens: number
  /** What the question and the answer can take together: an estimate. */
  readonly reservedTokens: number
  /** What the model server gets. */
  readonly body: string
}

/** More than any model answers with; with `n` answers it stays far below what a limiter can count. */
const MAX_TOKENS = 1_000_000
const MAX_ANSWERS = 16

const PART = z.looseObject({ type: z.string(), text: z.string().optional() })
const MESSAGE = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(PART)]).nullish(),
})
const LENGTH = z.int().min(1).max(MAX_TOKENS).nullish()
const CHAT = z.looseObject({
  model: z.string().min(1).max(64),
  messages: z.array(MESSAGE).min(1),
  tools: z.array(z.unknown()).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: LENGTH,
  max_completion_tokens: LENGTH,
  n: z.int().min(1).max(MAX_ANSWERS).nullish(),
})

/** The fields that are looked at. */
export type Chat = z.infer<typeof CHAT>

/** Reads a body. @throws ApiError 400 that names the parameter */
export function toChatRequest(text: string, defaultMaxTokens: number): ChatRequest {
  try {
    return read(text, defaultMaxTokens)
  } catch (error) {
    // What JSON.parse takes may still be too deep to be written again.
    if (error instanceof RangeError) throw invalid('The body of the request is nested too deeply.')
    throw error
  }
}

function read(text: string, defaultMaxTokens: number): ChatRequest {
  const chat = checked(parse(text))
  const { model, stream_options: options } = chat
  const stream = chat.stream === true
  const prompt = promptTokens(chat)
  const longest = Math.max(chat.max_tokens ?? 0, chat.max_completion_tokens ?? 0) || defaultMaxTokens
  return {
    model,
    stream,
    wantsUsage: options?.include_usage === true,
    promptTokens: prompt,
    reservedTokens: prompt + longest * (chat.n ?? 1),
    // The usage is asked for always: the tokens are settled by it.
    body: JSON.stringify(stream ? { ...chat, stream_options: { ...options, include_usage: true } } : chat),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid('The body of the request is not JSON.')
  }
}

function checked(body: unknown): Chat {
  const { success, data, error } = CHAT.safeParse(body)
  if (success) return data
  const [issue] = error.issues
  const param = issue?.path.join('.').slice(0, 100) || null
  throw invalid(`Invalid ${param === null ? 'body' : `'${param}'`}: ${issue?.message}.`, param)
}
