import { z } from 'zod'
import { TokenCounter } from '../token-counter.js'
import { usageOf } from './usage.js'

const TOOL_CALL = z.object({ function: z.object({ arguments: z.string().optional() }).optional() })
const CHOICE = z.object({
  index: z.int().min(0).max(127).optional(),
  delta: z
    .object({
      content: z.string().nullish(),
      refusal: z.string().nullish(),
      tool_calls: z.array(TOOL_CALL).nullish(),
    })
    .optional(),
})
const CHUNK = z.object({ choices: z.array(CHOICE) })

/** Counts what a stream has carried so far. */
export class StreamMeter {
  readonly #promptTokens: number
  readonly #hidesUsage: boolean
  readonly #answers = new Map<number, TokenCounter>()
  #usage: number | undefined

  constructor({ promptTokens, hidesUsage }: { promptTokens: number; hidesUsage: boolean }) {
    this.#promptTokens = promptTokens
    this.#hidesUsage = hidesUsage
  }

  /** What the model server has reported; before that, the tokens of the question and of what has been streamed. */
  get tokens(): number {
    if (this.#usage !== undefined) return this.#usage
    let tokens = this.#promptTokens
    for (const { total } of this.#answers.values()) tokens += total
    return tokens
  }

  /** Counts the data of an event; gives what the client is to see of it, or undefined for nothing. */
  take(data: string): string | undefined {
    const chunk = parse(data)
    this.#usage = usageOf(chunk) ?? this.#usage
    const { success, data: read } = CHUNK.safeParse(chunk)
    if (!success) return data
    for (const choice of read.choices) this.#count(choice)
    return this.#hidesUsage
      ? withoutUsage(chunk as object, { data, isEmpty: read.choices.length === 0 })
      : data
  }

  #count({ index = 0, delta }: z.infer<typeof CHOICE>): void {
    const counter = this.#answers.get(index) ?? new TokenCounter()
    this.#answers.set(index, counter)
    counter.add(delta?.content ?? '')
    counter.add(delta?.refusal ?? '')
    for (const call of delta?.tool_calls ?? []) counter.add(call.function?.arguments ?? '')
  }
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}

/** A client that did not ask for the usage would stumble over a chunk without a choice. */
function withoutUsage(
  chunk: object,
  { data, isEmpty }: { readonly data: string; readonly isEmpty: boolean },
): string | undefined {
  if (!('usage' in chunk)) return data
  if (isEmpty) return undefined
  const { usage: _hidden, ...rest } = chunk
  return JSON.stringify(rest)
}
