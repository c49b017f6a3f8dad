import { countTokens } from 'gpt-tokenizer'

/** Text of users is only text, whatever it looks like. */
const NOTHING_SPECIAL = { disallowedSpecial: new Set<string>() }

/** The tokenizer's time grows with the square of a run without a break: 100,000 times one letter would take seconds. */
const MAX_RUN = 128
const LONG_RUN = /\S{129}|\s{129}/

const BLOCK = 4096

/**
 * The tokens of a text, by the tokenizer of GPT-4o. Exact for texts of words of up to 4096 characters; about one in
 * a hundred more where there are runs of over 128 characters without a break, or breaks of that length.
 */
export function tokensOf(text: string): number {
  let tokens = 0
  for (let start = 0; start < text.length; ) {
    const end = blockEnd(text, start)
    tokens += ofBlock(text.slice(start, end))
    start = end
  }
  return tokens
}

/** Before a space, where no token goes across. */
function blockEnd(text: string, start: number): number {
  if (text.length - start <= BLOCK) return text.length
  const space = text.lastIndexOf(' ', start + BLOCK)
  return space > start ? space : start + BLOCK
}

function ofBlock(block: string): number {
  if (!LONG_RUN.test(block)) return countTokens(block, NOTHING_SPECIAL)
  let tokens = 0
  for (let start = 0; start < block.length; start += MAX_RUN)
    tokens += countTokens(block.slice(start, start + MAX_RUN), NOTHING_SPECIAL)
  return tokens
}
