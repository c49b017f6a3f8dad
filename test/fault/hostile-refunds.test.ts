import { createLimiter } from '@rl/core'
import { describe, expect, it } from 'vitest'
import { clientOf, limitedBy, untilAvailable, useMortalServer } from './lost-redis.js'

const server = useMortalServer()

describe('row 78: a refund', () => {
  it('of a store that is frozen is dropped and told; late it gives nothing back, and a second try does, once', async () => {
    const { options, events, store } = limitedBy(clientOf(server().port), { limit: '5/1h' }, 500)
    const limiter = createLimiter(options)
    await untilAvailable(store)
    const decision = await limiter.consume('ann')
    expect(decision).toMatchObject({ source: 'store', used: 1 })
    server().freeze()
    await limiter.refund(decision)
    expect(events).toMatchObject([{ type: 'settle-dropped', limiter: 'l', error: { code: 'RL_DEADLINE' } }])
    server().thaw()
    expect(await limiter.peek('ann')).toMatchObject({ source: 'store', used: 1 })
    for (let time = 0; time < 3; time++) await limiter.refund(decision)
    expect(await limiter.peek('ann')).toMatchObject({ source: 'store', used: 0 })
  })

  it('of a local decision is local, once, and no matter of the store that is back', async () => {
    await server().kill()
    const { options, events, store } = limitedBy(clientOf(server().port), { limit: '5/1h' })
    const limiter = createLimiter(options)
    const decisions = [await limiter.consume('ann'), await limiter.consume('ann')]
    for (let time = 0; time < 3; time++) await limiter.refund(decisions[0]!)
    expect(await limiter.peek('ann')).toMatchObject({ source: 'local', used: 1 })
    await server().restart()
    await untilAvailable(store)
    await limiter.consume('ann')
    await limiter.refund(decisions[1]!)
    expect(await limiter.peek('ann')).toMatchObject({ source: 'store', used: 1 })
    expect(events.filter(({ type }) => type === 'settle-dropped')).toEqual([])
  })
})
