// Decisions in memory, one of them after the other for the same key, with metrics or without: prints the nanoseconds of one.
import { subscribe } from 'node:diagnostics_channel'
import { createLimiter } from '@rl/core'
import { collectRateLimits } from '@rl/prometheus'
import { Registry } from 'prom-client'
import { quickest } from './quickest.mjs'

const [way = '', policies = ''] = process.argv.slice(2)
const DECISIONS = 50_000

const register = new Registry()
if (way === 'an empty subscriber') subscribe('rl:decision', () => {})
if (way === 'collected for Prometheus') collectRateLimits({ register })

const limit = policies === 'one policy' ? '1000000000/1m' : { burst: '1000000000/1s', daily: '1000000000/1m' }
const limiter = createLimiter({ name: 'api', limit })
console.log(JSON.stringify({ value: await quickest(DECISIONS, batch) }))
if (way === 'collected for Prometheus') await checkCounted()
process.exit()

function batch() {
  for (let i = 0; i < DECISIONS; i++) void limiter.consume('10.0.0.1')
  return 0
}

/** What counts nothing would be cheap. */
async function checkCounted() {
  const counted = /result="allowed"\} (\d+)/.exec(await register.metrics())?.[1]
  if (Number(counted) < DECISIONS) throw new Error(`counted were ${counted} decisions`)
}
