import { expect, it } from 'vitest'
import { noopLimiter } from './noop-limiter.js'

const off = { counted: false, allowed: true, source: 'none', reason: 'disabled' }

it('B131: allows everything and counts nothing', async () => {
  const limiter = noopLimiter()
  expect([limiter.consume('a'), limiter.peek('a'), limiter.charge('a')]).toEqual([off, off, off])
  await limiter.refund({ counted: false, allowed: true, source: 'none', reason: 'disabled' })
  await limiter.reset('a')
  await limiter.close()
  expect(limiter.policies).toEqual([])
})
