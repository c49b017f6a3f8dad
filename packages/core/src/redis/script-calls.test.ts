import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ScriptClient } from './client.js'
import { type Call, ScriptCalls } from './script-calls.js'
import type { Span } from './server-time.js'

let now = 0
beforeEach(() => {
  now = 0
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  vi.spyOn(performance, 'now').mockImplementation(() => now)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

type Answering = ScriptClient['evalshaBuffer']

function callsOver(evalshaBuffer: Answering, client: Partial<ScriptClient> = {}): ScriptCalls {
  const none = () => Promise.resolve()
  return new ScriptCalls({ evalshaBuffer, evalBuffer: none, del: none, ...client }, 50)
}

/** A server whose clock is so far from ours, and what it was sent. */
function server(aheadMs: number): { readonly sent: Span[]; answer: Answering } {
  const sent: Span[] = []
  return {
    sent,
    answer(_sha, _keys, _key, asked = '') {
      const span: Span = JSON.parse(asked)
      sent.push(span)
      const time = now + aheadMs
      return Promise.resolve([time, time < span.notBefore || time > span.notAfter ? -1 : 1])
    },
  }
}

function question(slot = 0): Call<string> {
  return {
    script: { text: '', sha: '', plainSha: '' },
    keys: ['key'],
    slot,
    questionFor: (span) => JSON.stringify(span),
    read(reply) {
      const [time = 0, status] = reply as number[]
      if (status === undefined) throw new Error('the reply has no status')
      return status === -1 ? { late: true, now: time } : { late: false, now: time, value: 'answered' }
    },
  }
}

describe('a call', () => {
  it('is sent twice when the server’s clock is not known, and the first charges nothing', async () => {
    const { sent, answer } = server(1_000_000)
    expect(await callsOver(answer).call(question())).toBe('answered')
    expect(sent).toEqual([
      { notBefore: 0, notAfter: 0 },
      { notBefore: 999_998, notAfter: 1_000_050 },
    ])
  })

  it('is sent once from then on', async () => {
    const { sent, answer } = server(1_000_000)
    const calls = callsOver(answer)
    for (let i = 0; i < 10; i++) await calls.call(question())
    expect(sent).toHaveLength(11)
  })

  it('is sent no third time', async () => {
    const sent: unknown[] = []
    const always = (): Promise<unknown> => Promise.resolve([sent.push('call'), -1])
    await expect(callsOver(always).call(question())).rejects.toMatchObject({
      code: 'RL_DEADLINE',
      message: 'store: Redis refused the call twice, as too late for 50 ms',
    })
    expect(sent).toHaveLength(2)
  })

  it('is not sent again once its deadline is over', async () => {
    const { sent, answer } = server(1_000_000)
    let reply = () => {}
    const held = new Promise<void>((resolve) => {
      reply = resolve
    })
    const call = callsOver((...sending) => held.then(() => answer(...sending))).call(question())
    now = 60
    vi.advanceTimersByTime(60)
    await expect(call).rejects.toMatchObject({ code: 'RL_DEADLINE' })
    reply()
    await held
    await Promise.resolve()
    expect(sent).toHaveLength(1)
  })
})

describe('in a cluster', () => {
  it('each node is asked for its time, and no other is taken to have the same', async () => {
    const nodes = { a: server(1_000_000), b: server(1_000_200) }
    const slots = [['a'], ['b'], ['a']] as const
    const client = { isCluster: true, slots }
    const calls = callsOver(
      (...call) => nodes[slots[JSON.parse(call[3] ?? '').slot]![0]].answer(...call),
      client,
    )
    const ask = (slot: number) =>
      calls.call({
        ...question(slot),
        questionFor: (span) => JSON.stringify({ ...span, slot }),
      })
    for (const slot of [0, 1, 2, 1, 0]) await ask(slot).catch(() => {})
    expect([nodes.a.sent.length, nodes.b.sent.length]).toEqual([4, 3])
  })

  it('nothing is learned of a node from a reply that may be another’s: the slot moved meanwhile', async () => {
    const { sent, answer } = server(1_000_000)
    const slots = [['a'], ['b']]
    const client = { isCluster: true, slots }
    let move = () => {}
    const calls = callsOver(async (...call) => {
      const reply = await answer(...call)
      move()
      return reply
    }, client)
    await calls.call(question())
    move = () => {
      slots[0] = ['b']
    }
    await calls.call(question())
    move = () => {}
    await calls.call(question(1))
    expect(sent.map(({ notAfter }) => notAfter)).toEqual([0, 1_000_050, 1_000_050, 0, 1_000_050])
  })
})

describe('a failure says what it is', () => {
  it.each<[string, Answering]>([
    ['an error of the client', () => Promise.reject(new Error('Connection is closed.'))],
    ['a reply that is none', () => Promise.resolve(['OK'])],
    ['a client that throws', thrower],
  ])('%s is RL_STORE', async (_, evalsha) => {
    await expect(callsOver(evalsha).call(question())).rejects.toMatchObject({ code: 'RL_STORE' })
  })

  it('in words that speak of the connection, where the client speaks of its settings', async () => {
    const error = new Error('Reached the max retries per request limit (which is 0). Refer to …')
    error.name = 'MaxRetriesPerRequestError'
    await expect(callsOver(() => Promise.reject(error)).call(question())).rejects.toMatchObject({
      code: 'RL_STORE',
      message: 'store: Redis could not decide: the connection was lost',
      cause: error,
    })
  })

  it.each<[string, () => Promise<unknown>]>([
    ['rejects', () => Promise.reject(new Error('Connection is closed.'))],
    [
      'throws',
      () => {
        throw new Error('Connection is closed.')
      },
    ],
  ])('of a reset too, where the client %s', async (_, del) => {
    await expect(callsOver(server(0).answer, { del }).delete(['key'])).rejects.toMatchObject({
      code: 'RL_STORE',
      message: 'store: Redis could not decide: Connection is closed.',
    })
  })
})

function thrower(): never {
  throw new Error('no')
}
