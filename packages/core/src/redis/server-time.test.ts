import { describe, expect, it } from 'vitest'
import { ServerTime } from './server-time.js'

/** The server's clock is 1,000,000 ms ahead of ours, and a reply takes no time, where nothing else is said. */
describe('the span in which a script may charge', () => {
  it('is over while the clock of the server is not known, so that the first call charges nothing', () => {
    expect(new ServerTime().spanOf(0, 500, 550)).toEqual({ notBefore: 0, notAfter: 0 })
  })

  it('ends with the deadline, and begins with the call but for what is cut off server time', () => {
    const time = new ServerTime()
    time.learn(0, 1_000_500, 500, false)
    expect(time.spanOf(0, 500, 550)).toEqual({ notBefore: 1_000_498, notAfter: 1_000_550 })
  })

  it('ends too early, never too late, by the time that the reply took', () => {
    const time = new ServerTime()
    time.learn(0, 1_000_500, 530, false)
    expect(time.spanOf(0, 530, 580).notAfter).toBe(1_000_550)
  })

  it('narrows by 1 ms for each second since the server was heard, as clocks drift', () => {
    const time = new ServerTime()
    time.learn(0, 1_000_000, 0, false)
    expect(time.spanOf(0, 10_000, 10_050)).toEqual({ notBefore: 1_009_988, notAfter: 1_010_040 })
  })

  it('is over 50 seconds after the server was heard, for a deadline of 50 ms', () => {
    const time = new ServerTime()
    time.learn(0, 1_000_000, 0, false)
    expect(time.spanOf(0, 51_000, 51_050).notAfter).toBeLessThan(1_051_000)
  })
})

describe('what is known of the clock', () => {
  it('is the fastest reply of late', () => {
    const time = new ServerTime()
    time.learn(0, 1_000_100, 110, false)
    time.learn(0, 1_000_200, 200, false)
    time.learn(0, 1_000_300, 380, false)
    expect(time.spanOf(0, 380, 430).notAfter).toBe(1_000_429)
  })

  it('is a slower reply, when the faster one is so old that drift may have made up for it', () => {
    const time = new ServerTime()
    time.learn(0, 1_000_000, 0, false)
    time.learn(0, 1_020_000, 20_005, false)
    expect(time.spanOf(0, 20_005, 20_055).notAfter).toBe(1_020_050)
  })

  it.each([
    ['back by an hour', 1_000_500 - 3_600_000],
    ['on by an hour', 1_000_500 + 3_600_000],
  ])('is forgotten when a script refuses: the clock was set %s', (_, serverNow) => {
    const time = new ServerTime()
    time.learn(0, 1_000_000, 0, false)
    time.learn(0, serverNow, 500, true)
    expect(time.spanOf(0, 500, 550)).toEqual({ notBefore: serverNow - 2, notAfter: serverNow + 50 })
  })

  it('is kept for each node: one that was not heard of may have any time', () => {
    const time = new ServerTime()
    time.learn('127.0.0.1:7000', 1_000_500, 500, false)
    expect(time.spanOf('127.0.0.1:7001', 500, 550)).toEqual({ notBefore: 0, notAfter: 0 })
  })

  it('of two nodes stays apart', () => {
    const time = new ServerTime()
    time.learn('127.0.0.1:7000', 1_000_500, 500, false)
    time.learn('127.0.0.1:7001', 1_000_300, 500, false)
    expect(time.spanOf('127.0.0.1:7000', 500, 550).notAfter).toBe(1_000_550)
    expect(time.spanOf('127.0.0.1:7001', 500, 550).notAfter).toBe(1_000_350)
  })
})
