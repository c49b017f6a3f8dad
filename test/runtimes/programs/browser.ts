import { createLimiter, memoryStore, slidingWindow, tokenBucket } from '@rl/core'
import { byIp, createGuard, type RequestView } from '@rl/core/http'

/// <reference lib="dom" />

declare const document: { title: string; body: { textContent: string } }

/** What a browser decides: three calls against two, with each part of core that needs no server. */
async function decisions() {
  const limiter = createLimiter({
    limit: {
      burst: tokenBucket({ capacity: 2, per: '1h' }),
      daily: slidingWindow({ limit: 9, window: '1d' }),
    },
    store: memoryStore({ maxKeys: 100 }),
    name: 'page',
  })
  const view: RequestView = {
    method: 'GET',
    peer: '203.0.113.9',
    route: undefined,
    header: () => undefined,
    carrier: {},
  }
  const guard = createGuard({ limit: '1/1h', key: byIp() })
  const statuses = []
  for (const carrier of [{}, {}]) {
    const verdict = await guard.check({ ...view, carrier }, undefined)
    statuses.push(verdict.allowed ? 200 : verdict.status)
  }
  const allowed = []
  for (const _call of [1, 2, 3]) allowed.push((await limiter.consume('visitor')).allowed)
  return { allowed, statuses }
}

decisions().then(
  (made) => {
    document.body.textContent = `made ${JSON.stringify(made)}`
  },
  (error) => {
    document.body.textContent = `failed ${error}`
  },
)
