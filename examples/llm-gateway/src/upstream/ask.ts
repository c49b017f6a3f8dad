import { type Dispatcher, request } from 'undici'
import { UpstreamFailed } from './upstream-failed.js'

/** A question for a model server. */
export interface Question {
  readonly url: string
  readonly body: string
  readonly timeoutMs: number
  /** Of the client's leaving. */
  readonly signal: AbortSignal
}

/** An answer with its status and nothing of its body read yet. */
export interface Head {
  readonly status: number
  readonly body: Dispatcher.ResponseData['body']
}

/** A whole answer. */
export interface Whole {
  readonly status: number
  readonly text: string
}

const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/** Asks, and waits until the answer begins. @throws UpstreamFailed */
export function ask(question: Question): Promise<Head> {
  return inTime(question, (signal) => open(question, signal))
}

/** Asks, and waits for the whole answer. @throws UpstreamFailed */
export function askWhole(question: Question): Promise<Whole> {
  return inTime(question, async (signal) => {
    const head = await open(question, signal)
    return { status: head.status, text: await textOf(head) }
  })
}

/** The text of an answer. @throws UpstreamFailed when it is too long */
export async function textOf({ body }: Head): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > MAX_ANSWER_BYTES) throw new UpstreamFailed('the model server answers with too much')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

async function open({ url, body, timeoutMs }: Question, signal: AbortSignal): Promise<Head> {
  const answer = await request(`${url}/v1/chat/completions`, {
    method: 'POST',
    // Nothing of the client's own fields goes on, its key least of all.
    headers: { 'content-type': 'application/json' },
    body,
    signal,
    headersTimeout: 0,
    bodyTimeout: timeoutMs,
  })
  const { statusCode: status } = answer
  // Busy, or broken: another one may do better.
  if (status !== 429 && status < 500) return { status, body: answer.body }
  await answer.body.dump()
  throw new UpstreamFailed(`the model server answered ${status}`)
}

/** What the client's leaving ends is passed on as it is; all else is the model server's fault. */
async function inTime<T>(
  { timeoutMs, signal }: Question,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeUp = new AbortController()
  const timer = setTimeout(() => timeUp.abort(), timeoutMs)
  try {
    return await act(AbortSignal.any([signal, timeUp.signal]))
  } catch (cause) {
    if (signal.aborted || cause instanceof UpstreamFailed) throw cause
    if (!timeUp.signal.aborted) throw new UpstreamFailed('the model server can not be reached', { cause })
    throw new UpstreamFailed(`the model server took longer than ${timeoutMs} ms`, { isTimeout: true })
  } finally {
    clearTimeout(timer)
  }
}
