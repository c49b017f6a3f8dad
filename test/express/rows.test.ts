import { createServer } from 'node:http'
import { byCookie, byIp, firstOf, rateLimit } from '@rl/express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { limitAtNoon } from '../contract/at-noon.js'
import { listen } from '../contract/listen.js'
import { send } from '../support/http-client.js'
import { statusesOf, statusesOfPosts } from '../support/statuses.js'
import { versions } from './versions.js'

// The rows that every framework answers alike stand in the contract.
describe.each(versions)('%s: hostile inputs, by the row of their table', (_, express) => {
  /** `/login` behind a limit of two. */
  async function started(prepare = (_app: ReturnType<typeof express>) => {}) {
    const app = express()
    prepare(app)
    app.get('/login', rateLimit(limitAtNoon(2)), (_req, res) => {
      res.send('ok')
    })
    app.get('/users/:id', (_req, res) => {
      res.send('ok')
    })
    const { target, close } = await listen(createServer(app))
    onTestFinished(close)
    return target
  }

  it.each<[row: string, paths: readonly string[], statuses: readonly number[]]>([
    ['row 52: spellings that match are one bucket', ['/login', '/Login', '/login/'], [200, 200, 429]],
    ['row 53: encoded letters do not match', ['/%6cogin', '/log%69n', '/login'], [404, 404, 200]],
    ['row 54: dots do not match', ['/./login', '/x/../login', '/%2e/login'], [404, 404, 404]],
    ['row 56: queries and fragments', ['/login?x=1', '/login#x', '/login?x=2'], [200, 200, 429]],
    ['row 57: never a crash', ['//login', '/login;a=b', '/login%00', '/login%2f'], [404, 404, 404, 404]],
    ['row 57: never a crash', ['/login%', '/users/%', '/users/%ff'], [404, 400, 400]],
  ])('%s: %j', async (_row, paths, statuses) => {
    expect(await statusesOf(await started(), ...paths)).toEqual(statuses)
  })

  it('row 64: a list of a thousand operations costs a thousand, and is refused as a whole', async () => {
    const limiter = rateLimit({ ...limitAtNoon(900), cost: (req) => req.body.length })
    const target = await started((app) =>
      app.post('/', express.json(), limiter, (_req, res) => {
        res.send('ok')
      }),
    )
    const operations = (count: number) => Array.from({ length: count }, () => ({ query: '{ me }' }))
    expect(await statusesOfPosts(target, '/', operations(1000), operations(900))).toEqual([429, 200])
  })

  it('row 40: a megabyte of cookies, where the server lets it in, is read at once and is nobody’s session', async () => {
    const app = express()
    const known = vi.fn(() => true)
    const key = firstOf(byCookie('sid', { known }), byIp())
    app.get('/', rateLimit({ ...limitAtNoon(2), key }), (_req, res) => {
      res.send('ok')
    })
    const { target, close } = await listen(createServer({ maxHeaderSize: 4_000_000 }, app))
    onTestFinished(close)
    const cookies = ['a=1; '.repeat(200_000), `sid=${'x'.repeat(1_000_000)}`, '__proto__=1; sid; =; ;;']
    const statuses = []
    for (const cookie of cookies) statuses.push((await send(target, '/', { headers: { cookie } })).status)
    expect(statuses).toEqual([200, 200, 429])
    expect(known).not.toHaveBeenCalled()
  })
})
