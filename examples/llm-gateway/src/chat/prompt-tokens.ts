import { estimateTokens } from './estimate.js'

/** What of a chat is counted. */
export interface Prompt {
  readonly messages: readonly {
    readonly role: string
    readonly content?: string | readonly { readonly text?: string | undefined }[] | null | undefined
  }[]
  readonly tools?: readonly unknown[] | null | undefined
}

/** Of the format around a message, and around all of them. */
const PER_MESSAGE = 4
const PER_CHAT = 3
/** An image or a sound: what it takes is for the model server to say. */
const PER_OTHER_PART = 1000

/** The tokens of a question, as far as they can be known before the model has seen it. */
export function promptTokens({ messages, tools }: Prompt): number {
  const texts = tools ? [JSON.stringify(tools)] : []
  let others = PER_CHAT
  for (const { content } of messages) {
    others += PER_MESSAGE
    if (typeof content === 'string') texts.push(content)
    else others += addParts(texts, content ?? [])
  }
  return others + estimateTokens(texts)
}

/** The tokens of those parts that are no text. */
function addParts(texts: string[], parts: readonly { readonly text?: string | undefined }[]): number {
  let tokens = 0
  for (const { text } of parts) {
    if (text === undefined) tokens += PER_OTHER_PART
    else texts.push(text)
  }
  return tokens
}
