/** The label of whatever comes when there is no room for further names. */
export const OTHER = 'other'

/** A thing for each name, for so many names; all that come later share one. */
export class Bounded<T> {
  readonly #things = new Map<string, T>()
  readonly #max: number
  readonly #make: (label: string) => T
  /** The one asked for last, mostly the next one too. */
  #lastName: string | undefined
  #last!: T

  constructor(max: number, make: (label: string) => T) {
    this.#max = max
    this.#make = make
  }

  of(name: string): T {
    if (name !== this.#lastName) {
      this.#last = this.#things.get(name) ?? this.#add(name)
      this.#lastName = name
    }
    return this.#last
  }

  values(): Iterable<T> {
    // A name that was asked for last and not kept would be held until the next one.
    this.#lastName = undefined
    return this.#things.values()
  }

  #add(name: string): T {
    const label = this.#things.size < this.#max ? copyOf(name) : OTHER
    const thing = this.#things.get(label) ?? this.#make(label)
    this.#things.set(label, thing)
    return thing
  }
}

/** A name that was cut out of a text would keep all of that text alive. */
function copyOf(name: string): string {
  return Buffer.from(name).toString()
}
