import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { estimateTokens } from '../../examples/llm-gateway/src/chat/estimate.js'
import { sseEvents } from '../../examples/llm-gateway/src/chat/sse-events.js'
import { StreamMeter } from '../../examples/llm-gateway/src/chat/stream-meter.js'
import { durationText } from '../../examples/llm-gateway/src/limits/duration-text.js'
import { TokenCounter } from '../../examples/llm-gateway/src/token-counter.js'
import { tokensOf } from '../../examples/llm-gateway/src/tokens.js'
import { BoundedMap } from '../../examples/llm-gateway/src/users/bounded-map.js'

describe('the estimate of a question', () => {
  it('is exact up to 8192 characters', () => {
    expect(estimateTokens(['one'.padEnd(4003, ' two'), 'one'.padEnd(4003, ' two')])).toBe(2002)
  })

  it('of a longer text of words is within three in a hundred', () => {
    const tokens = estimateTokens(['one'.padEnd(400_003, ' two'), 'Hi'])
    expect(tokens).toBeGreaterThan(97_000)
    expect(tokens).toBeLessThan(103_000)
  })

  it('takes no longer for a megabyte that is hard to count than for 8192 characters of it', () => {
    estimateTokens(["'s".repeat(4096)])
    const start = performance.now()
    const tokens = estimateTokens(Array.from({ length: 100 }, () => "'s".repeat(4500)))
    // All of it would take six seconds.
    expect(performance.now() - start).toBeLessThan(1500)
    expect(tokens).toBeGreaterThan(300_000)
  })
})

it.each([
  [0, '0s'],
  [1, '1ms'],
  [999, '999ms'],
  [1000, '1s'],
  [8640, '8.64s'],
  [59_999, '59.999s'],
  [60_000, '1m0s'],
  [360_000, '6m0s'],
  [61_500, '1m1.5s'],
  [3_630_000, '1h0m30s'],
  [90_000_000, '25h0m0s'],
])('%i ms is written %s', (ms, text) => expect(durationText(ms)).toBe(text))

describe('tokens', () => {
  it.each([
    ['', 0],
    ['Hi', 1],
    ['one two three four five six seven eight nine ten', 10],
    ['<|endoftext|>', 7],
  ])('of %j: %i', (text, tokens) => expect(tokensOf(text)).toBe(tokens))

  it('a long text of words is as many tokens as its words', () => {
    expect(tokensOf('one'.padEnd(4_000_003, ' two'))).toBe(1_000_001)
  })

  it('a run without a break costs no more time than words do', () => {
    const start = performance.now()
    for (const run of ['a', ' ', '😀', '\n']) expect(tokensOf(run.repeat(100_000))).toBeGreaterThan(700)
    // Whole, the four would take half a minute.
    expect(performance.now() - start).toBeLessThan(5000)
  })

  it.each([1, 3, 4095, 4096, 4097])(
    'a text in parts of %i characters is as many tokens as in one',
    (length) => {
      const text = 'one'.padEnd(40_003, ' two')
      const counter = new TokenCounter()
      for (let start = 0; start < text.length; start += length) counter.add(text.slice(start, start + length))
      expect(counter.total).toBe(10_001)
    },
  )
})

describe('a stream of events', () => {
  const text =
    'data: {"a":"é"}\r\n\r\n: comment\n\nevent: x\ndata: one\ndata:two\n\ndata: [DONE]\n\ndata: cut off'

  it.each([1, 2, 3, 7, 1000])('in chunks of %i bytes is the same events', async (length) => {
    expect(await all(sseEvents(chunks(text, length)))).toEqual(['{"a":"é"}', 'one\ntwo', '[DONE]'])
  })

  it('an event without end is given up', async () => {
    await expect(all(sseEvents(chunks(`data: ${'x'.repeat(1_000_000)}`, 16_384)))).rejects.toThrow(
      'without end',
    )
  })
})

describe('the meter of a stream', () => {
  const meter = () => new StreamMeter({ promptTokens: 8, hidesUsage: true })

  it.each([
    'no json',
    'null',
    '7',
    '{}',
    '{"choices":7}',
    '{"choices":[null]}',
    '{"choices":[{"delta":{"content":7}}]}',
    '{"choices":[{"index":1e9,"delta":{"content":"x"}}]}',
    '{"error":{"message":"busy"}}',
  ])('what is no chunk is passed on as it is: %s', (data) => {
    const it = meter()
    expect(it.take(data)).toBe(data)
    expect(it.tokens).toBe(8)
  })

  it.each(['-1', '1.5', '1e300', 'null', '"9"', '[]', '100000001'])(
    'a usage of %s is not believed',
    (total) => {
      const it = meter()
      it.take('{"choices":[{"index":0,"delta":{"content":"one two"}}]}')
      expect(it.take(`{"choices":[],"usage":{"total_tokens":${total}}}`)).toBeUndefined()
      expect(it.tokens).toBe(10)
    },
  )

  it('a usage beside a choice is hidden, and the choice is not', () => {
    const it = meter()
    expect(it.take('{"choices":[{"delta":{"content":"a"}}],"usage":{"total_tokens":30}}')).toBe(
      '{"choices":[{"delta":{"content":"a"}}]}',
    )
    expect(it.tokens).toBe(30)
  })

  it('several answers and calls of tools count', () => {
    const it = meter()
    it.take('{"choices":[{"index":0,"delta":{"content":"one"}},{"index":1,"delta":{"content":"one two"}}]}')
    it.take('{"choices":[{"index":0,"delta":{"tool_calls":[{"function":{"arguments":" three"}}]}}]}')
    expect(it.tokens).toBe(8 + 2 + 2)
  })
})

it('a bounded map forgets what was set longest ago', () => {
  const map = new BoundedMap<number>(2)
  map.set('a', 1)
  map.set('b', 2)
  map.set('a', 3)
  map.set('c', 4)
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([3, undefined, 4])
})

function chunks(text: string, length: number): AsyncIterable<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  const parts = Array.from({ length: Math.ceil(bytes.length / length) }, (_, i) =>
    bytes.slice(i * length, (i + 1) * length),
  )
  return Readable.from(parts)
}

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}
