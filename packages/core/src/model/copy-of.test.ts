import { expect, it } from 'vitest'
import { copyOf } from './copy-of.js'

it.each([
  '',
  'a',
  'twelve chars',
  'thirteen long',
  'é🙂'.repeat(10),
  `\ud800${'x'.repeat(20)}`,
  '\u0000'.repeat(20),
])('a copy is the same text: case %#', (text) => {
  expect(copyOf(text)).toBe(text)
})

it.each([
  ['cut out', 'x'.repeat(1000).slice(7, 47), 'x'.repeat(40)],
  ['joined', 'ab'.concat('x'.repeat(40)), `ab${'x'.repeat(40)}`],
])('of text that is %s too', (_, text, same) => {
  expect(copyOf(text)).toBe(same)
})
