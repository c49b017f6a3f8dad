import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { createGuard, type GuardOptions, type RequestView } from '@rl/core/http'
import { byIp, rateLimit } from '@rl/express'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ensureProgram } from '../../examples/cluster/src/index.js'
import { storeAtNoon } from '../contract/at-noon.js'
import { listen } from '../contract/listen.js'
import { fakeRequest } from '../support/fake-request.js'
import { freePort } from '../support/free-port.js'
import { guard, scratchDir, unguard } from '../support/guardian.js'
import { rawGet, sendRaw, type Target } from '../support/http-client.js'
import { waitUntil } from '../support/wait-until.js'

const page = readFileSync(new URL('../../packages/core/behind-a-proxy.md', import.meta.url), 'utf8')

/** A block of code of the page, by its language and a text in it. */
function block(language: string, text: string): string {
  const blocks = [...page.matchAll(/```(\w+)\n([\s\S]*?)```/g)]
  const found = blocks.find(([, name, code]) => name === language && code?.includes(text))
  if (found?.[2] === undefined) throw new Error(`the page has no ${language} with ${text}`)
  return found[2]
}

describe('the page "Behind a proxy"', () => {
  describe('nginx, as it says', () => {
    /** An application that tells keys, and nginx before it. */
    async function started(key: GuardOptions<unknown>['key']): Promise<{ app: Target; nginx: Target }> {
      const app = express()
      app.use(rateLimit({ limit: '100/1m', key }))
      app.get('/whoami', (_req, res) => {
        res.send(`key=${String(res.locals.rateLimit.key)}`)
      })
      const { target, close } = await listen(createServer(app))
      onTestFinished(close)
      return { app: target, nginx: await startNginx(block('nginx', 'proxy_pass'), target) }
    }

    it.each<[string, readonly string[]]>([
      ['nothing', []],
      ['a forged address', ['X-Forwarded-For: 6.6.6.6']],
      ['forged proxies', ['X-Forwarded-For: 6.6.6.6, 127.0.0.1', 'X-Forwarded-For: 127.0.0.1']],
      ['other headers', ['CF-Connecting-IP: 6.6.6.6', 'Forwarded: for=6.6.6.6', 'X-Real-IP: 6.6.6.6']],
      ['an underscore', ['X_Forwarded_For: 6.6.6.6']],
      ['the header named in Connection', ['Connection: X-Forwarded-For']],
      ['something else', ['X-Forwarded-For: unknown, "<script>"']],
    ])('a client that sends %s counts by its own address', async (_, lines) => {
      const { nginx } = await started(byIp({ trust: '127.0.0.1' }))
      expect(await sendRaw(fromSeven(nginx), rawGet('/whoami', ...lines))).toMatch(/key=127\.0\.0\.7$/)
    })

    it('who goes around it counts by the socket', async () => {
      const { app } = await started(byIp({ trust: '127.0.0.1' }))
      const answer = await sendRaw(fromSeven(app), rawGet('/whoami', 'X-Forwarded-For: 6.6.6.6'))
      expect(answer).toMatch(/key=127\.0\.0\.7$/)
    })
  })

  it('IPv6: a limit a /64 and a larger one a /48', () => {
    const guards: ReturnType<typeof createGuard<unknown>>[] = []
    const app = { use: (options: GuardOptions<unknown>) => guards.push(createGuard(options)) }
    const own = (options: GuardOptions<unknown>) => ({ ...options, store: storeAtNoon() })
    new Function('app', 'rateLimit', 'byIp', block('js', 'ip48'))(app, own, byIp)
    const passes = (view: RequestView) =>
      guards.every((one) => (one.check(view, {}) as { allowed: boolean }).allowed)
    const passed = (network: string) =>
      Array.from({ length: 101 }, (_, i) => passes(fakeRequest({ peer: `${network}::${i + 1}` }))).filter(
        Boolean,
      ).length
    const networks = Array.from({ length: 12 }, (_, i) => `2001:db8:1:${i}`)
    expect(networks.map(passed)).toEqual([...Array<number>(10).fill(100), 0, 0])
    expect(passed('2001:db8:2:0')).toBe(100)
  })
})

/** For a client with an address of its own. */
function fromSeven(target: Target): Target {
  return Object.assign({ localAddress: '127.0.0.7' }, target)
}

/** A real nginx with this block in its server, on the loopback addresses. */
async function startNginx(location: string, upstream: Target): Promise<Target> {
  ensureProgram('nginx')
  const [dir, port] = [scratchDir('nginx'), await freePort()]
  const { port: appPort } = upstream as { port: number }
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(dir, name)};`)
    .join(' ')
  // Without the line root's workers would be another user, who can't enter the directory.
  const { uid, username } = userInfo()
  const user = uid === 0 ? `user ${username};` : ''
  writeFileSync(
    join(dir, 'nginx.conf'),
    `daemon off; ${user} worker_processes 1; error_log stderr; pid ${join(dir, 'pid')}; events {}
     http { access_log off; ${temporary}
       server { listen 127.0.0.1:${port}; ${location.replace('127.0.0.1:3000', `127.0.0.1:${appPort}`)} } }`,
  )
  const child = spawn('nginx', ['-p', dir, '-c', join(dir, 'nginx.conf'), '-e', 'stderr'], {
    detached: true,
    stdio: 'ignore',
  })
  const { pid = 0 } = child
  guard(-pid)
  onTestFinished(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
    unguard(-pid)
  })
  const target = { host: '127.0.0.1', port }
  await waitUntil(
    () =>
      sendRaw(target, rawGet('/whoami')).then(
        () => true,
        () => false,
      ),
    { what: 'nginx answers' },
  )
  return target
}
