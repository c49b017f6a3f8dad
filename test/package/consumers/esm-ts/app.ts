import { createLimiter, type Decision, slidingWindow } from '@rl/core'
import { rateLimit } from '@rl/express'
import express, { type Request, type Response } from 'express'

export const app = express()
app.use(rateLimit({ limit: '2/1m' }))
app.get('/', (_req: Request, res: Response) => {
  res.send('hello')
})

export const limiter = createLimiter({ limit: slidingWindow({ limit: 1, window: '1m' }) })

export async function isCounted(): Promise<boolean> {
  const decision: Decision = await limiter.consume('typed')
  return decision.counted && decision.allowed
}
