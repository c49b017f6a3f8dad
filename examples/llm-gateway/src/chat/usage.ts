import { z } from 'zod'

/** More than any request takes: a model server that reports more is broken, and its word would be a debt for years. */
const MAX_TOTAL = 100_000_000

const ANSWER = z.object({ usage: z.object({ total_tokens: z.int().min(0).max(MAX_TOTAL) }) })

/** The tokens that an answer says it took; undefined where it says nothing that can be meant. */
export function usageOf(answer: unknown): number | undefined {
  const { success, data } = ANSWER.safeParse(answer)
  return success ? data.usage.total_tokens : undefined
}
