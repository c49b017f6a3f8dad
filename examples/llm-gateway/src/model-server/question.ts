import { z } from 'zod'

/** How an answer goes wrong. */
export const FAULTS = ['none', '500', '429', 'drop', 'hang', 'cut', 'stall', 'silent', 'over'] as const
export type Fault = (typeof FAULTS)[number]

const QUESTION = z.looseObject({
  model: z.string(),
  messages: z.array(
    z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(z.looseObject({}))]).nullish() }),
  ),
  stream: z.boolean().nullish(),
  max_tokens: z.int().nullish(),
  max_completion_tokens: z.int().nullish(),
  // What a test wants of this server: a fault, of the server with a name or of all, and the length of the answer.
  metadata: z
    .looseObject({
      fault: z.enum(FAULTS).optional(),
      at: z.string().optional(),
      tokens: z.string().optional(),
    })
    .nullish(),
})

/** A request, as far as a model server looks at it. */
export type Question = z.infer<typeof QUESTION>

/** @throws Error */
export function toQuestion(text: string): Question {
  return QUESTION.parse(JSON.parse(text))
}
