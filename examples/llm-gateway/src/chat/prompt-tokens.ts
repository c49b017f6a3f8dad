import { tokensOf } from '../tokens.js'

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
  let tokens = PER_CHAT
  for (const { content } of messages) tokens += PER_MESSAGE + ofContent(content)
  return tools ? tokens + tokensOf(JSON.stringify(tools)) : tokens
}

function ofContent(content: Prompt['messages'][number]['content']): number {
  if (typeof content === 'string') return tokensOf(content)
  let tokens = 0
  for (const { text } of content ?? []) tokens += text === undefined ? PER_OTHER_PART : tokensOf(text)
  return tokens
}
