import { describe, expect, it } from 'vitest'
import { thrown } from '../../../../test/support/thrown.js'
import { fromNodeRedis, type NodeRedisClient, nodeOf, type RedisClient } from './client.js'

function nodeRedis(members: Partial<NodeRedisClient> = {}): NodeRedisClient & { readonly sent: unknown[][] } {
  const sent: unknown[][] = []
  const reply = (...call: unknown[]): Promise<unknown> => {
    sent.push(call)
    return Promise.resolve([1])
  }
  return {
    sent,
    withTypeMapping: (mapping) => ({
      evalSha: (...call) => reply('evalSha', mapping, ...call),
      eval: (...call) => reply('eval', mapping, ...call),
    }),
    del: (...call) => reply('del', ...call),
    ...members,
  }
}

/** A string of the protocol begins with a dollar. */
const BYTES = { ['$'.charCodeAt(0)]: Buffer }

describe('fromNodeRedis', () => {
  it('parts keys from arguments, and asks for bytes', async () => {
    const client = nodeRedis()
    await fromNodeRedis(client).evalshaBuffer('sha', 2, 'k1', 'k2', 'a', 'b')
    await fromNodeRedis(client).evalBuffer('text', 1, 'k1', 'a')
    await fromNodeRedis(client).del('k1', 'k2')
    expect(client.sent).toEqual([
      ['evalSha', BYTES, 'sha', { keys: ['k1', 'k2'], arguments: ['a', 'b'] }],
      ['eval', BYTES, 'text', { keys: ['k1'], arguments: ['a'] }],
      ['del', ['k1', 'k2']],
    ])
  })

  it.each([
    ['a client that is ready', { isReady: true, isOpen: true }, 'ready'],
    ['a client that reconnects', { isReady: false, isOpen: true }, 'connecting'],
    ['a cluster that is open, which knows no more', { isOpen: true }, 'ready'],
    ['a cluster that is closed', { isOpen: false }, 'connecting'],
    ['one that tells nothing', {}, 'ready'],
  ])('%s', (_, members, status) => {
    expect(fromNodeRedis(nodeRedis(members)).status).toBe(status)
  })

  it.each<[string, unknown]>([
    ['a client of node-redis 4', { evalSha: () => {}, eval: () => {}, del: () => {} }],
    ['nothing', undefined],
  ])('does not take %s', (_, client) => {
    expect(thrown(() => fromNodeRedis(client as NodeRedisClient))).toMatchObject({
      code: 'RL_CONFIG',
      message: expect.stringMatching(/^client: takes a client of node-redis 5 or later/),
    })
  })

  it('looks at the state at each call', () => {
    const state = { ...nodeRedis(), isReady: false }
    const client = fromNodeRedis(state)
    state.isReady = true
    expect(client.status).toBe('ready')
  })

  it('tells a cluster by its slots', () => {
    expect(fromNodeRedis(nodeRedis()).isCluster).toBe(false)
    expect(fromNodeRedis(nodeRedis({ slots: [] })).isCluster).toBe(true)
  })
})

describe('nodeOf', () => {
  const none = () => Promise.resolve()
  const bare: RedisClient = { evalshaBuffer: none, evalBuffer: none, del: none }

  it('is the primary that ioredis has for the slot', () => {
    const client = { ...bare, slots: [undefined, ['10.0.0.1:7000', '10.0.0.2:7000']] }
    expect(nodeOf(client, 1)).toBe('10.0.0.1:7000')
  })

  it('is the primary that node-redis has for the slot', () => {
    const slots = [undefined, { master: { address: '10.0.0.1:7000' } }]
    expect(nodeOf(fromNodeRedis(nodeRedis({ slots })), 1)).toBe('10.0.0.1:7000')
  })

  it.each([
    ['ioredis before it has heard of the slots', { ...bare, slots: [] }],
    ['node-redis before it has heard of the slots', fromNodeRedis(nodeRedis({ slots: [] }))],
    ['a client that tells of none', bare],
  ])('is the slot itself for %s', (_, client) => {
    expect(nodeOf(client, 7)).toBe(7)
  })
})
