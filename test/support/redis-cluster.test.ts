import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keyPrefix } from './keys.js'
import { type RedisCluster, startCluster } from './redis-cluster.js'

describe('a cluster of 3 primaries with a replica each', () => {
  let cluster: RedisCluster
  beforeAll(async () => {
    cluster = await startCluster({ primaries: 3, replicasEach: 1, nodeTimeoutMs: 1000 })
  }, 20_000)
  afterAll(() => cluster.stop())

  it('serves all slots from three primaries, each with its replica', async () => {
    const owners = await Promise.all([0, 5460, 5461, 10_922, 10_923, 16_383].map(cluster.primaryOf))
    const [a, b, c, ...replicas] = cluster.nodes
    expect(owners.map(({ port }) => port)).toEqual([a, a, b, b, c, c].map((node) => node?.port))
    const followers = await Promise.all([0, 8000, 16_383].map(cluster.replicasOf))
    expect(followers.flat().map(({ port }) => port)).toEqual(replicas.map(({ port }) => port))
    expect(cluster.addresses).toHaveLength(6)
  })

  it('moves slots with their keys to another primary', async () => {
    const [key, slot] = [keyPrefix(), 100]
    const from = await cluster.primaryOf(await cluster.slotOf(key))
    const to = await cluster.otherPrimary(await cluster.slotOf(key))
    await from.command('SET', key, 'kept', 'PX', 60_000)
    await cluster.moveSlots([await cluster.slotOf(key), slot], to)
    expect(await to.command('GET', key)).toBe('kept')
    expect(await cluster.primaryOf(slot)).toBe(to)
    await expect(from.command('GET', key)).rejects.toThrow(/^MOVED .*:\d+$/)
  })

  it('can stand in the middle of a move, where keys that have left answer ASK', async () => {
    const key = keyPrefix()
    const slot = await cluster.slotOf(key)
    const from = await cluster.primaryOf(slot)
    await from.command('SET', key, 'here')
    const to = await cluster.otherPrimary(slot)
    const move = await cluster.startMove(slot, to)
    expect(await from.command('GET', key)).toBe('here')
    expect(await move.moveKeys()).toBe(1)
    await expect(from.command('GET', key)).rejects.toThrow(`ASK ${slot} 127.0.0.1:${to.port}`)
    await move.finish()
    await cluster.waitUntilOk()
    expect(await cluster.primaryOf(slot)).toBe(to)
  })

  // Last, for it leaves the cluster with a dead node.
  it('fails over to the replica of a killed primary', { timeout: 20_000 }, async () => {
    const [primary] = cluster.nodes
    await primary?.kill()
    await cluster.waitUntilOk()
    expect(await cluster.primaryOf(0)).toBe(cluster.nodes[3])
    await primary?.restart()
    await cluster.waitUntilOk()
    expect((await cluster.replicasOf(0)).map(({ port }) => port)).toEqual([primary?.port])
  })
})
