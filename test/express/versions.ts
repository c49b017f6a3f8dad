import express5 from 'express'
import express4 from 'express4'

/** Both versions, written against the types of the newer. */
export const versions: readonly (readonly [name: string, framework: typeof express5])[] = [
  ['Express 4', express4 as unknown as typeof express5],
  ['Express 5', express5],
]
