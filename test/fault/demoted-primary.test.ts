import { createLimiter } from '@rl/core'
import { expect, it, onTestFinished } from 'vitest'
import { type RedisServer, startRedis } from '../support/redis-server.js'
import { startProxy } from '../support/tcp-proxy.js'
import { waitUntil } from '../support/wait-until.js'
import { clientOf, limitedBy, untilAvailable } from './lost-redis.js'

/** A primary and its replica, which has all that the primary has. */
async function pair(): Promise<{ readonly primary: RedisServer; readonly replica: RedisServer }> {
  const [primary, replica] = await Promise.all([startRedis(), startRedis()])
  onTestFinished(async () => {
    await Promise.all([primary.stop(), replica.stop()])
  })
  await replica.command('REPLICAOF', '127.0.0.1', primary.port)
  const isLinked = async () => (await replica.info('replication')).master_link_status === 'up'
  await waitUntil(isLinked, { what: 'the replica follows', timeoutMs: 15_000 })
  return { primary, replica }
}

it('B71: a primary that was demoted is left at its first READONLY, and the new one counts', async () => {
  const { primary, replica } = await pair()
  const wire = await startProxy({ target: primary.port })
  onTestFinished(() => wire.stop())
  const { options, events, store } = limitedBy(clientOf(wire.port), { limit: '100/1h' })
  const limiter = createLimiter(options)
  await untilAvailable(store)
  for (let i = 0; i < 3; i++) await limiter.consume('ann')
  const isFollowed = async () => Number((await replica.info('keyspace')).db0?.length) > 0
  await waitUntil(isFollowed, { what: 'the replica has the key' })

  // The address leads to the new primary; the connection to the old one stays.
  await replica.command('REPLICAOF', 'NO', 'ONE')
  await primary.command('REPLICAOF', '127.0.0.1', replica.port)
  wire.refuse()
  const newWire = await startProxy({ target: replica.port, port: wire.port })
  onTestFinished(() => newWire.stop())

  expect(await limiter.consume('ann')).toMatchObject({ source: 'local', allowed: true })
  const failure = events.find(({ type }) => type === 'store-failure')
  expect(failure).toMatchObject({ error: { message: expect.stringContaining('READONLY') } })
  await waitUntil(() => newWire.counters.connections > 0, { what: 'the client has left' })
  await untilAvailable(store)
  expect(await limiter.consume('ann')).toMatchObject({ source: 'store', used: 4 })
})

it('row 76: after a failover to a replica that was behind, what was lost is counted anew, and no more', async () => {
  const { primary, replica } = await pair()
  const wire = await startProxy({ target: primary.port })
  const { options, store } = limitedBy(clientOf(wire.port), { limit: '100/1h' })
  const limiter = createLimiter(options)
  await untilAvailable(store)
  for (let i = 0; i < 3; i++) await limiter.consume('ann')
  const offset = async ({ info }: RedisServer) => {
    const { master_repl_offset, slave_repl_offset } = await info('replication')
    return Number(slave_repl_offset ?? master_repl_offset)
  }
  const isSame = async () => (await offset(replica)) >= (await offset(primary))
  await waitUntil(isSame, { what: 'the replica has it all' })
  // The link is cut: what is counted now is acknowledged, and lost.
  await replica.command('REPLICAOF', 'NO', 'ONE')
  for (let i = 0; i < 2; i++)
    expect(await limiter.consume('ann')).toMatchObject({ source: 'store', used: 4 + i })
  await primary.kill()
  wire.stop()
  expect(await limiter.consume('ann')).toMatchObject({ allowed: true, source: 'local' })

  const newWire = await startProxy({ target: replica.port, port: wire.port })
  onTestFinished(() => newWire.stop())
  // Until then the client may not have noticed that its old connection is gone.
  await waitUntil(() => newWire.counters.connections > 0, { what: 'the client has found the new primary' })
  await untilAvailable(store)
  expect(await limiter.consume('ann')).toMatchObject({ source: 'store', used: 4 })
})
