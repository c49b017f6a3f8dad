import { createLimiter, slidingWindow } from '@rl/core'
import { rateLimit } from '@rl/express'

import express = require('express')

export const app = express()
app.use(rateLimit({ limit: '2/1m' }))
app.get('/', (_req: express.Request, res: express.Response) => {
  res.send('hello')
})

export const limiter = createLimiter({ limit: slidingWindow({ limit: 1, window: '1m' }) })
