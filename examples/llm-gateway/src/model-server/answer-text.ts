/** Each is one token for the tokenizer, with a space before it or not. */
const WORDS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

/** The tokens of an answer of that length. */
export function answerTokens(length: number): readonly string[] {
  return Array.from({ length }, (_, i) => (i === 0 ? 'one' : ` ${WORDS[i % WORDS.length]}`))
}
