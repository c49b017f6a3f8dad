import { atBarrier } from './barrier.mjs'

// The program of processes.test.ts: tells when it was ready and when it ran, or fails as it is told.
await atBarrier((input) => {
  if (input?.failure === 'prepare') throw new Error('could not prepare')
  const preparedAt = Date.now()
  return () => {
    if (input?.failure === 'work') throw new Error('could not work')
    if (input?.failure === 'exit') process.exit(3)
    if (input?.failure === 'hang') return new Promise(() => setInterval(() => undefined, 1000))
    return { input, pid: process.pid, preparedAt, startedAt: Date.now(), big: 2n ** 64n }
  }
})
