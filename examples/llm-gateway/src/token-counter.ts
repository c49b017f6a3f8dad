import { tokensOf } from './tokens.js'

const BLOCK = 4096

/** Counts the tokens of a text that comes in parts, without keeping all of it. */
export class TokenCounter {
  #counted = 0
  #text = ''

  add(part: string): void {
    this.#text += part
    // The last word may go on in the next part.
    const end = this.#text.length > BLOCK ? this.#text.lastIndexOf(' ') : -1
    if (end > 0) this.#count(end)
    else if (this.#text.length > 4 * BLOCK) this.#count(this.#text.length)
  }

  get total(): number {
    return this.#counted + tokensOf(this.#text)
  }

  #count(end: number): void {
    this.#counted += tokensOf(this.#text.slice(0, end))
    this.#text = this.#text.slice(end)
  }
}
