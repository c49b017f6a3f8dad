import { createLimiter, slidingWindow } from '@rl/core'
import { rateLimit } from '@rl/express'
import express from 'express'

export const app = express()
app.use(rateLimit({ limit: '2/1m' }))
app.get('/', (_req, res) => res.send('hello'))

export const limiter = createLimiter({ limit: slidingWindow({ limit: 1, window: '1m' }) })
