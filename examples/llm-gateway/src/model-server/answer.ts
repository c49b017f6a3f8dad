import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { promptTokens } from '../chat/prompt-tokens.js'
import { sseEvent } from '../chat/sse-events.js'
import { answerTokens } from './answer-text.js'
import type { ModelServerFlags } from './flags.js'
import type { Fault, Question } from './question.js'
import type { Stats } from './stats.js'

const DEFAULT_TOKENS = 16
/** What a server reports too much that is to. */
const OVER = 100

/** Answers a question, or goes wrong as it is told to. */
export async function answer(
  question: Question,
  response: ServerResponse,
  { flags, stats }: { readonly flags: ModelServerFlags; readonly stats: Stats },
): Promise<void> {
  const fault = faultOf(question, flags)
  if (fault === 'hang') return
  if (fault === 'drop') return void response.destroy()
  if (fault === '500' || fault === '429') return refuse(response, Number(fault))
  const tokens = answerTokens(lengthOf(question))
  const usage = usageFor(question, tokens.length, fault)
  const { model } = question
  const work = { response, fault, tokens, tokenMs: flags.tokenMs, model, usage }
  const isDone = await (question.stream === true ? stream(work) : whole(work))
  if (isDone && usage !== null) stats.reportedTokens += usage.total_tokens
}

interface Work {
  readonly response: ServerResponse
  readonly fault: Fault
  readonly tokens: readonly string[]
  readonly tokenMs: number
  readonly model: string
  readonly usage: ReturnType<typeof usageFor>
}

function faultOf({ metadata }: Question, { fault, name }: ModelServerFlags): Fault {
  const isMeant = metadata?.at === undefined || metadata.at === name
  return isMeant ? (metadata?.fault ?? fault) : fault
}

function lengthOf({ metadata, max_completion_tokens: most, max_tokens: max }: Question): number {
  const wanted = /^\d{1,5}$/.test(metadata?.tokens ?? '') ? Number(metadata?.tokens) : DEFAULT_TOKENS
  return Math.min(wanted, most ?? max ?? wanted)
}

function usageFor(question: Question, completion: number, fault: Fault) {
  if (fault === 'silent') return null
  const prompt = promptTokens(question)
  const total = prompt + completion + (fault === 'over' ? OVER : 0)
  return { prompt_tokens: prompt, completion_tokens: total - prompt, total_tokens: total }
}

function refuse(response: ServerResponse, status: number): void {
  const error = { message: 'told to fail', type: 'server_error', param: null, code: null }
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
}

async function whole({ response, fault, tokens, tokenMs, model, usage }: Work): Promise<boolean> {
  if (tokenMs > 0) await sleep(tokenMs * tokens.length)
  const message = { role: 'assistant', content: tokens.join(''), refusal: null }
  const choices = [{ index: 0, message, finish_reason: 'stop', logprobs: null }]
  const text = JSON.stringify({ ...envelope(model), object: 'chat.completion', choices, usage })
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  if (fault === 'none' || fault === 'silent' || fault === 'over') response.end(text)
  else await stopHalfway(response, text.slice(0, text.length / 2), fault)
  return response.writableEnded
}

async function stream({ response, fault, tokens, tokenMs, model, usage }: Work): Promise<boolean> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const head = envelope(model)
  const chunk = (choices: readonly object[], more: object) =>
    sseEvent(JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, ...more }))
  const isHalf = fault === 'cut' || fault === 'stall'
  const sent = isHalf ? tokens.slice(0, tokens.length / 2) : tokens
  for (const content of sent) {
    if (response.destroyed) return false
    response.write(chunk([{ index: 0, delta: { content }, finish_reason: null }], { usage: null }))
    if (tokenMs > 0) await sleep(tokenMs)
  }
  if (isHalf) {
    await stopHalfway(response, '', fault)
    return false
  }
  response.write(chunk([{ index: 0, delta: {}, finish_reason: 'stop' }], { usage: null }))
  if (usage !== null) response.write(chunk([], { usage }))
  response.end(sseEvent('[DONE]'))
  return true
}

/** Cut: what was written goes out before the connection does. */
async function stopHalfway(response: ServerResponse, text: string, fault: Fault): Promise<void> {
  await new Promise((resolve) => response.write(text, resolve))
  if (fault === 'cut') response.destroy()
}

let answers = 0

function envelope(model: string) {
  return { id: `chatcmpl-${++answers}`, created: Math.floor(Date.now() / 1000), model }
}
