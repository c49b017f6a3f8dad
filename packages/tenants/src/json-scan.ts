import { at, fault } from './fault.js'

/** Deeper than anything that a file of tenants has. */
const MAX_DEPTH = 16

type Awaited = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | ', or end' | 'nothing'

interface Level {
  /** Of an object, the names up to now; of a list nothing. */
  readonly names: Set<string> | undefined
  /** Where the reader is in it. */
  member: string | number
}

const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const ESCAPE = /["\\/bfnrt]|u[\da-fA-F]{4}/y
const BLANK = /[ \t\n\r]*/y

/**
 * Goes through a JSON text token by token, for what `JSON.parse` hides or would tell with a piece of the text, which may
 * be a key: members that stand there twice, names that mean something to JavaScript, and where it is no JSON.
 */
export class JsonScan {
  readonly #text: string
  readonly #levels: Level[] = []
  #place = 0
  #awaited: Awaited = 'value'

  constructor(text: string) {
    this.#text = text
  }

  /** Reads one token; false when there are no more. @throws RateLimitError `RL_CONFIG` */
  step(): boolean {
    this.#place += this.#match(BLANK)
    const character = this.#text[this.#place]
    if (character === undefined) {
      if (this.#awaited !== 'nothing') throw this.#fault('ends before it is complete')
      return false
    }
    if (character === '"') this.#string()
    else if (character === '{' || character === '[') this.#open(character)
    else if (character === '}' || character === ']') this.#close(character)
    else if (character === ',') this.#comma()
    else if (character === ':') this.#expect(':', 'value', 1)
    else this.#expect('value', this.#afterValue(), this.#match(LITERAL))
    return true
  }

  #string(): void {
    const from = this.#place
    const to = this.#endOfString()
    if (this.#awaited === 'name' || this.#awaited === 'name or }') this.#name(this.#text.slice(from, to))
    else this.#expect('value', this.#afterValue(), to - from)
  }

  #name(token: string): void {
    const level = this.#levels.at(-1) as Level
    const name: string = JSON.parse(token)
    level.member = name
    if (name === '__proto__') throw this.#fault('is no name that can be used', this.#path())
    if (level.names?.has(name)) throw this.#fault('stands there twice', this.#path())
    level.names?.add(name)
    this.#move(':', token.length)
  }

  #open(bracket: '{' | '['): void {
    if (this.#levels.length === MAX_DEPTH) throw this.#fault('is nested too deeply', this.#path())
    const isObject = bracket === '{'
    this.#expect('value', isObject ? 'name or }' : 'value or ]', 1)
    this.#levels.push(isObject ? { names: new Set(), member: '' } : { names: undefined, member: 0 })
  }

  #close(bracket: '}' | ']'): void {
    const isObject = this.#levels.at(-1)?.names !== undefined
    const atStart = isObject ? 'name or }' : 'value or ]'
    const fits = this.#awaited === ', or end' || this.#awaited === atStart
    if (!fits || isObject !== (bracket === '}')) throw this.#unexpected()
    this.#levels.pop()
    this.#move(this.#afterValue(), 1)
  }

  #comma(): void {
    const level = this.#levels.at(-1)
    const isObject = level?.names !== undefined
    this.#expect(', or end', isObject ? 'name' : 'value', 1)
    if (typeof level?.member === 'number') level.member++
  }

  #afterValue(): Awaited {
    return this.#levels.length === 0 ? 'nothing' : ', or end'
  }

  #expect(what: Awaited, next: Awaited, length: number): void {
    const isValue = what === 'value' && this.#awaited === 'value or ]'
    if (length === 0 || !(isValue || this.#awaited === what)) throw this.#unexpected()
    this.#move(next, length)
  }

  #move(next: Awaited, length: number): void {
    this.#awaited = next
    this.#place += length
  }

  /** The place behind its closing quote. */
  #endOfString(): number {
    for (let i = this.#place + 1; i < this.#text.length; i++) {
      const unit = this.#text.charCodeAt(i)
      if (unit === 0x22) return i + 1
      if (unit < 0x20) throw this.#fault('is no JSON: a text goes on beyond its line')
      if (unit !== 0x5c) continue
      ESCAPE.lastIndex = i + 1
      if (!ESCAPE.test(this.#text)) throw this.#fault('is no JSON: a text has an escape that does not exist')
      i = ESCAPE.lastIndex - 1
    }
    throw this.#fault('ends before it is complete')
  }

  #match(pattern: RegExp): number {
    pattern.lastIndex = this.#place
    return pattern.test(this.#text) ? pattern.lastIndex - this.#place : 0
  }

  #unexpected(): Error {
    return this.#fault(`is no JSON: expected ${this.#awaited === 'value or ]' ? 'a value' : this.#awaited}`)
  }

  #path(): string {
    return this.#levels.reduce((path, { member }) => at(path, member), '')
  }

  #fault(advice: string, path = ''): Error {
    const before = this.#text.slice(0, this.#place)
    const line = before.split('\n').length
    const column = this.#place - before.lastIndexOf('\n')
    return fault(path, `${advice} (line ${line}, column ${column})`)
  }
}
