import { describe, expect, it } from 'vitest'
import type { ScriptClient } from './client.js'
import { ScriptRunner } from './run-script.js'
import type { Script } from './scripts.gen.js'

function run(runner: ScriptRunner, script: Script, keys: string[], question = ''): Promise<unknown> {
  return new Promise((received, failed) => runner.run({ script, keys, question }, { received, failed }))
}

const SCRIPT = { text: 'return 1', sha: 'with-line', plainSha: 'without' }
const NOSCRIPT = new Error('NOSCRIPT No matching script. Please use EVAL.')
const CAN_NOT_COMPILE = new Error(
  "ERR Error compiling script (new function): user_script:1: unexpected symbol near '#'",
)

/** A client that answers, or fails, as it is told, and what it was sent. */
function clientWith(...answers: readonly unknown[]): ScriptClient & { readonly sent: unknown[][] } {
  const sent: unknown[][] = []
  const left = [...answers]
  const answer = (...call: unknown[]): Promise<unknown> => {
    sent.push(call)
    const next = left.shift()
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next)
  }
  return {
    sent,
    evalshaBuffer: (...call) => answer('evalsha', ...call),
    evalBuffer: (...call) => answer('eval', ...call),
    del: () => Promise.resolve(0),
  }
}

describe('a script', () => {
  it('is called by its hash', async () => {
    const client = clientWith([1])
    expect(await run(new ScriptRunner(client), SCRIPT, ['key'], 'a')).toEqual([1])
    expect(client.sent).toEqual([['evalsha', 'with-line', 1, 'key', 'a']])
  })

  it('is sent with its text, under a line that names the language, to a server that lacks it', async () => {
    const client = clientWith(NOSCRIPT, [1])
    expect(await run(new ScriptRunner(client), SCRIPT, ['key'], 'a')).toEqual([1])
    expect(client.sent[1]).toEqual(['eval', '#!lua\nreturn 1', 1, 'key', 'a'])
  })

  it('is sent without that line to a server that can not compile it, once', async () => {
    const client = clientWith(NOSCRIPT, CAN_NOT_COMPILE, [1], [2])
    const runner = new ScriptRunner(client)
    expect(await run(runner, SCRIPT, ['key'])).toEqual([1])
    expect(await run(runner, SCRIPT, ['key'])).toEqual([2])
    expect(client.sent.slice(2)).toEqual([
      ['eval', 'return 1', 1, 'key', ''],
      ['evalsha', 'without', 1, 'key', ''],
    ])
  })

  it('is sent again without the line when such a server has lost it', async () => {
    const client = clientWith(NOSCRIPT, CAN_NOT_COMPILE, [1], NOSCRIPT, [2])
    const runner = new ScriptRunner(client)
    await run(runner, SCRIPT, ['key'])
    expect(await run(runner, SCRIPT, ['key'])).toEqual([2])
    expect(client.sent.at(-1)).toEqual(['eval', 'return 1', 1, 'key', ''])
  })
})

describe('many calls that a new server has no script for', () => {
  it('have one that sends the text, and follow it by the hash', async () => {
    const client = clientWith(NOSCRIPT, NOSCRIPT, NOSCRIPT, [1], [2], [3])
    const runner = new ScriptRunner(client)
    const calls = ['a', 'b', 'c'].map((argument) => run(runner, SCRIPT, ['key'], argument))
    expect(await Promise.all(calls)).toEqual([[1], [2], [3]])
    expect(client.sent.slice(3)).toEqual([
      ['eval', '#!lua\nreturn 1', 1, 'key', 'a'],
      ['evalsha', 'with-line', 1, 'key', 'b'],
      ['evalsha', 'with-line', 1, 'key', 'c'],
    ])
  })

  it('send it themselves where another node still lacks it', async () => {
    const client = clientWith(NOSCRIPT, NOSCRIPT, [1], NOSCRIPT, [2])
    const runner = new ScriptRunner(client)
    const calls = ['a', 'b'].map((argument) => run(runner, SCRIPT, ['key'], argument))
    expect(await Promise.all(calls)).toEqual([[1], [2]])
    expect(client.sent.at(-1)).toEqual(['eval', '#!lua\nreturn 1', 1, 'key', 'b'])
  })

  it('do not wait for a text that another script needs', async () => {
    const client = clientWith(NOSCRIPT, NOSCRIPT, [1], [2])
    const runner = new ScriptRunner(client)
    const other = { text: 'return 2', sha: 'other', plainSha: 'other-plain' }
    expect(await Promise.all([run(runner, SCRIPT, []), run(runner, other, [])])).toEqual([[1], [2]])
    expect(client.sent.slice(2).map(([command]) => command)).toEqual(['eval', 'eval'])
  })
})

describe('what is not repeated', () => {
  it.each([
    'Connection is closed.',
    'READONLY You can’t write against a read only replica.',
    'OOM command not allowed when used memory > ’maxmemory’.',
    'LOADING Redis is loading the dataset in memory',
    'BUSY Redis is busy running a script.',
    'CLUSTERDOWN Hash slot not served',
    'WRONGTYPE Operation against a key holding the wrong kind of value',
  ])('%s', async (message) => {
    const client = clientWith(new Error(message), [1])
    await expect(run(new ScriptRunner(client), SCRIPT, ['key'])).rejects.toThrow(message)
    expect(client.sent).toHaveLength(1)
  })

  it('a text that failed', async () => {
    const client = clientWith(NOSCRIPT, new Error('Connection is closed.'), [1])
    await expect(run(new ScriptRunner(client), SCRIPT, ['key'])).rejects.toThrow('Connection is closed.')
    expect(client.sent).toHaveLength(2)
  })
})

describe('a client that is none', () => {
  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new TypeError('not today')
      },
    ],
    ['gives no promise', () => true],
  ])('makes the call fail, where it %s', async (_, evalsha) => {
    const client = { ...clientWith(), evalshaBuffer: evalsha as ScriptClient['evalshaBuffer'] }
    await expect(run(new ScriptRunner(client), SCRIPT, ['key'])).rejects.toThrow(TypeError)
  })
})
