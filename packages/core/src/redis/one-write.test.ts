import { expect, it } from 'vitest'
import { OneWrite } from './one-write.js'

/** A stream that counts what leaves in each write. */
class Stream {
  readonly writes: number[] = []
  #corks = 0
  #held = 0

  cork(): void {
    this.#corks++
  }

  uncork(): void {
    this.#corks--
    if (this.#corks === 0 && this.#held > 0) this.writes.push(this.#held)
    if (this.#corks === 0) this.#held = 0
  }

  write(): void {
    if (this.#corks > 0) this.#held++
    else this.writes.push(1)
  }
}

function call(oneWrite: OneWrite, stream: Stream, times: number): void {
  for (let i = 0; i < times; i++) {
    oneWrite.next()
    stream.write()
  }
}

it('one call leaves at once', () => {
  const stream = new Stream()
  call(new OneWrite(() => stream), stream, 1)
  expect(stream.writes).toEqual([1])
})

it('calls that follow it in the same turn leave together when the turn ends', async () => {
  const stream = new Stream()
  call(new OneWrite(() => stream), stream, 8)
  expect(stream.writes).toEqual([1])
  await Promise.resolve()
  expect(stream.writes).toEqual([1, 7])
})

it('no more than eight are held back', async () => {
  const stream = new Stream()
  call(new OneWrite(() => stream), stream, 20)
  expect(stream.writes).toEqual([1, 8, 8])
  await Promise.resolve()
  expect(stream.writes).toEqual([1, 8, 8, 3])
})

it('calls that answers lead to, of answers that came together, leave together', async () => {
  const stream = new Stream()
  const oneWrite = new OneWrite(() => stream)
  const answers = Array.from({ length: 5 }, () => Promise.resolve())
  await Promise.all(answers.map((answer) => answer.then(() => call(oneWrite, stream, 1))))
  expect(stream.writes).toEqual([1, 4])
})

it('each turn begins anew', async () => {
  const stream = new Stream()
  const oneWrite = new OneWrite(() => stream)
  for (let turn = 0; turn < 3; turn++) {
    call(oneWrite, stream, 2)
    await Promise.resolve()
  }
  expect(stream.writes).toEqual([1, 1, 1, 1, 1, 1])
})

it('what was held back is let go where it was held, also when the client has another connection by then', async () => {
  const first = new Stream()
  const second = new Stream()
  let stream = first
  const oneWrite = new OneWrite(() => stream)
  call(oneWrite, first, 3)
  stream = second
  await Promise.resolve()
  call(oneWrite, second, 1)
  expect([first.writes, second.writes]).toEqual([[1, 2], [1]])
})

it.each([undefined, {} as Stream])(
  'a connection that can not hold back is left alone: %s',
  async (stream) => {
    const oneWrite = new OneWrite(() => stream)
    for (let i = 0; i < 40; i++) oneWrite.next()
    await Promise.resolve()
  },
)
