const { createLimiter, slidingWindow } = require('@rl/core')
const { rateLimit } = require('@rl/express')
const express = require('express')

const app = express()
app.use(rateLimit({ limit: '2/1m' }))
app.get('/', (_req, res) => res.send('hello'))

const limiter = createLimiter({ limit: slidingWindow({ limit: 1, window: '1m' }) })

module.exports = { app, limiter }
