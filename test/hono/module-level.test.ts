import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

/** What a worker platform forbids while it loads a module. */
const FORBIDDEN = ['setTimeout', 'setInterval', 'setImmediate', 'fetch', 'crypto', 'Date.now', 'Math.random']

describe('B92: loaded and made at module level on a platform that forbids timers, randomness and fetch there', () => {
  beforeEach(() => {
    vi.resetModules()
  })
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
  })

  it('nothing of that is used before the first request', async () => {
    const used: string[] = []
    const restore = forbid(used)
    try {
      const { byApiKey, compose, byRoute, fixedWindow, memoryStore, rateLimit, slidingLog, tokenBucket } =
        await import('@rl/hono')
      const getConnInfo = () => ({ remote: { address: '203.0.113.9' } })
      const store = memoryStore()
      rateLimit({ limit: '100/1m', getConnInfo })
      rateLimit({
        limit: { burst: '20/1s', daily: fixedWindow({ limit: 9, window: '1d' }) },
        store,
        name: 'a',
        getConnInfo,
      })
      rateLimit({
        limit: [slidingLog({ limit: 9, window: '1h' }), tokenBucket({ capacity: 5, per: '1s' })],
        getConnInfo,
      })
      rateLimit({ limit: '9/1m', key: compose(byRoute(), byApiKey({ known: () => true })), onDone: () => {} })
    } finally {
      restore()
    }
    expect(used).toEqual([])
  })

  it('the first request is served', async () => {
    const { rateLimit } = await import('@rl/hono')
    const { Hono } = await import('hono')
    const limiter = rateLimit({ limit: '1/1m', getConnInfo: () => ({ remote: { address: '203.0.113.9' } }) })
    const app = new Hono().use(limiter).get('/', (c) => c.text('ok'))
    const statuses = [(await app.request('/')).status, (await app.request('/')).status]
    expect(statuses).toEqual([200, 429])
  })
})

/** Has each note its use and throw; gives the way back. */
function forbid(used: string[]): () => void {
  const originals: (() => void)[] = []
  for (const path of FORBIDDEN) {
    const [owner, name = ''] = path.includes('.')
      ? [globalThis[path.split('.')[0] as 'Math'], path.split('.')[1]]
      : [globalThis, path]
    const original = Object.getOwnPropertyDescriptor(owner, name)
    const fail = () => {
      used.push(path)
      throw new Error(`${path} at module level`)
    }
    const value = name === 'crypto' ? new Proxy({}, { get: fail }) : fail
    Object.defineProperty(owner, name, { configurable: true, writable: true, value })
    originals.push(() => original && Object.defineProperty(owner, name, original))
  }
  return () => {
    for (const restore of originals) restore()
  }
}
