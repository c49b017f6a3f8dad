import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { watchStalls } from './stalls.js'

function block(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

it('tells of every stretch, and of one that has not ended', async () => {
  const stalls = watchStalls()
  onTestFinished(() => stalls.stop())
  await sleep(10)
  const before = stalls.total()
  block(100)
  await sleep(10)
  block(50)
  expect(stalls.total() - before).toBeGreaterThan(145)
  await sleep(10)
  expect(stalls.longest()).toBeGreaterThan(98)
})
