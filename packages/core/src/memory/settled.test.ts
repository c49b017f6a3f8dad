import { expect, it } from 'vitest'
import { Settled } from './settled.js'

it('a receipt is marked once', () => {
  const settled = new Settled()
  expect([settled.mark('1 login a'), settled.mark('1 login a'), settled.mark('1 login b')]).toEqual([
    true,
    false,
    true,
  ])
})

it('the latest 65,536 are remembered, and no more', () => {
  const settled = new Settled()
  for (let id = 0; id < 65_536; id++) settled.mark(`${id} login a`)
  expect(settled.mark('0 login a')).toBe(false)
  settled.mark('65536 login a')
  expect([settled.mark('1 login a'), settled.mark('0 login a')]).toEqual([false, true])
})
