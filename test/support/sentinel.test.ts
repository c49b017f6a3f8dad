import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keyPrefix } from './keys.js'
import { type SentinelGroup, startSentinel } from './sentinel.js'
import { waitUntil } from './wait-until.js'

describe('a pair under three sentinels', () => {
  let group: SentinelGroup
  beforeAll(async () => {
    group = await startSentinel({ sentinels: 3 })
  }, 20_000)
  afterAll(() => group.stop())

  it('starts with the primary in charge and a linked replica', async () => {
    expect(await group.currentPrimary()).toBe(group.primary)
    expect((await group.replica.info('replication')).role).toBe('slave')
    expect(group.addresses).toHaveLength(3)
  })

  it('fails over when the primary is killed, which comes back as a replica', {
    timeout: 30_000,
  }, async () => {
    await group.primary.kill()
    expect(await group.waitForNewPrimary(group.primary)).toBe(group.replica)
    await group.primary.restart()
    await group.waitUntilFollowed()
    expect((await group.primary.info('replication')).master_port).toBe(String(group.replica.port))
  })

  it('fails over on order, with the data', { timeout: 30_000 }, async () => {
    const key = keyPrefix()
    const old = await group.currentPrimary()
    await old.command('SET', key, 'kept')
    await waitUntil(() => group.primary.command('GET', key), { what: 'the other server has it' })
    expect(await group.failover()).not.toBe(old)
    expect(await (await group.currentPrimary()).command('GETSET', key, 'written')).toBe('kept')
  })
})
