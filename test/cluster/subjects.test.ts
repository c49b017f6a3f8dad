import { setTimeout as sleep } from 'node:timers/promises'
import { type Counted, createLimiter } from '@rl/core'
import { redisStore } from '@rl/core/redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeSubject, slotOf } from '../../packages/core/src/redis/subject-key.js'
import { casesOf } from '../concurrency/cases.js'
import { Random } from '../equivalence/random.js'
import { keyPrefix } from '../support/keys.js'
import { CLUSTER_CLIENTS, type Connect, type OpenClient, TOGETHER_CLIENTS } from '../support/redis-clients.js'
import { type RedisCluster, startCluster } from '../support/redis-cluster.js'

let cluster: RedisCluster
beforeAll(async () => {
  cluster = await startCluster()
})
afterAll(() => cluster?.stop())

const CASES = Object.entries(casesOf(100, '36525d'))

const SILENT = { warn: () => {}, error: () => {} }

/** Names that aim at the slot, end the text, or are no text at all. */
const HOSTILE = [
  '{',
  '}',
  '{}',
  '{}{a}',
  '}{',
  '{a}',
  '{a}{b}',
  'a{b',
  'a}b',
  '{user}:1',
  '\0',
  'a\0{b}',
  '\r\n',
  '*3\r\n$3\r\nSET\r\n',
  '😀',
  '{😀}',
  '\ud83d',
  '\ude00{',
  '%',
  '%007b',
  '%~',
  '~',
  '#',
  ' ',
  '*',
  '[a-z]?',
  'x'.repeat(10_000),
  '{'.repeat(10_000),
  '\ud800'.repeat(10_000),
]

function randomSubjects(): readonly string[] {
  const random = new Random(16)
  const parts = ['{', '}', 'a', '%', '~', '\0', ' ', '\ud83d', '\ude00', '€', ':', '007b']
  return Array.from({ length: 100 }, () =>
    Array.from({ length: random.int(1, 12) }, () => random.pick(parts)).join(''),
  )
}

const CLIENTS: Readonly<Record<string, Connect>> = { ...CLUSTER_CLIENTS, ...TOGETHER_CLIENTS }

describe.each(Object.entries(CLIENTS))('hostile subjects, over %s', (_, connect) => {
  let open: OpenClient
  beforeAll(async () => {
    open = await connect([cluster.nodes[0]!.port])
  })
  afterAll(() => open?.close())

  it.each(CASES)('B56: are counted each by itself, and never cause CROSSSLOT: %s', async (_, limit) => {
    const store = redisStore({ client: open.client, prefix: keyPrefix(), deadlineMs: 10_000, logger: SILENT })
    const { policies } = createLimiter({ limit })
    const subjects = [...new Set([...HOSTILE, ...randomSubjects()])]
    const ask = async (key: string) =>
      ((await store.consume([{ limiter: 'l', key, policies, costs: 1 }], 'ask')) as Counted).used
    // A node's first call connects it.
    for (const key of subjects) expect([key, await ask(key)]).toEqual([key, 1])
    expect(new Set(await Promise.all(subjects.map(ask)))).toEqual(new Set([2]))
  })
})

describe('all keys of a check are in one slot', () => {
  let open: OpenClient
  let keys: readonly string[]
  const prefix = keyPrefix()
  const subjects = new Set([...HOSTILE, ...randomSubjects()])
  beforeAll(async () => {
    open = await CLUSTER_CLIENTS['Cluster of ioredis 6']([cluster.nodes[0]!.port])
    const store = redisStore({ client: open.client, prefix, deadlineMs: 10_000 })
    const { policies } = createLimiter({ limit: CASES[5]![1] })
    const use = async (key: string): Promise<void> => {
      const charges = [{ limiter: 'l', key, policies, costs: 1 }]
      const { receipt } = (await store.consume(charges, 'ask')) as Counted
      if (receipt) await store.settle(receipt, 2)
      // So many that the log is a list.
      for (let i = 0; i < 16; i++) {
        await store.consume(charges, 'force')
        await sleep(2)
      }
    }
    await Promise.all([...subjects].map(use))
    const found = await Promise.all(cluster.nodes.map((node) => node.command('KEYS', `${prefix}:*`)))
    keys = found.flatMap((some) => some as readonly string[])
  })
  afterAll(() => open?.close())

  it('by CLUSTER KEYSLOT, and it is the slot that we take it for', async () => {
    for (const subject of subjects) {
      const encoded = encodeSubject(subject)
      const own = keys.filter((key) => key.includes(`{${encoded}}`))
      const slots = await Promise.all(own.map((key) => cluster.slotOf(key)))
      // The value, the list of the log, and the mark of the settlement.
      expect([subject, own.length, ...new Set(slots)]).toEqual([subject, 3, slotOf(encoded)])
    }
  })

  it('and different clients are spread over the nodes', async () => {
    const counts = await Promise.all(cluster.nodes.map((node) => node.command('DBSIZE')))
    expect(Math.min(...counts.map(Number))).toBeGreaterThan(30)
  })
})
