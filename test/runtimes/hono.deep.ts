import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { inRoot } from '../scripts/workspace.mjs'
import { open, rawGet, send, type Target } from '../support/http-client.js'
import { bundleForWeb } from './bundle.js'
import { startServer } from './process.js'

/** What only the deep suite installs, so that types and borders can be checked without it. */
const inRuntimes = createRequire(inRoot('test/runtimes/package.json'))

interface Workers {
  readonly Miniflare: new (options: object) => { readonly ready: Promise<URL>; dispose(): Promise<void> }
}

/** The binary that an npm package for one platform brings; its absence is a failure here. */
function binary(owner: string, platform: string, path: string): string {
  const inOwner = createRequire(inRoot('test/runtimes/node_modules', owner, 'package.json'))
  return join(dirname(inOwner.resolve(`${platform}/package.json`)), path)
}

const runtimes: Readonly<Record<string, () => Promise<Target>>> = {
  async Bun() {
    const { file } = await bundleForWeb('bun.ts')
    return startServer(binary('bun', `@oven/bun-${process.platform}-${ARCH[process.arch]}`, 'bin/bun'), [
      file,
    ])
  },
  async Deno() {
    const { file } = await bundleForWeb('deno.ts')
    const deno = binary('deno', `@deno/${process.platform}-${process.arch}-glibc`, 'deno')
    return startServer(deno, ['run', '--no-prompt', '--allow-net=127.0.0.1', '--no-lock', file])
  },
  async workerd() {
    const { text } = await bundleForWeb('workerd.ts')
    const { Miniflare } = inRuntimes('miniflare') as Workers
    // Without nodejs_compat: nothing of Node is there.
    const miniflare = new Miniflare({ modules: true, script: text, compatibilityDate: '2026-01-01', port: 0 })
    onTestFinished(() => miniflare.dispose())
    const { hostname, port } = await miniflare.ready
    return { host: hostname, port: Number(port) }
  },
}

const ARCH: Readonly<Record<string, string>> = { x64: 'x64', arm64: 'aarch64' }
/** Cloudflare writes it before a worker; elsewhere it is a header as any. */
const headers = { 'cf-connecting-ip': '127.0.0.1' }

describe.each(Object.entries(runtimes))('the Hono adapter with a memory store on %s', (name, start) => {
  it('limits, and tells it in the same fields as everywhere', async () => {
    const target = await start()
    const answers = []
    for (const _call of [1, 2, 3]) answers.push(await send(target, '/limited', { headers }))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(answers[0]).toMatchObject({ body: '127.0.0.1', fields: { 'ratelimit-policy': '"1h";q=2;w=3600' } })
    expect(answers.map(({ fields }) => fields.ratelimit?.replace(/;t=\d+$/, ''))).toEqual([
      '"1h";r=1',
      '"1h";r=0',
      '"1h";r=0',
    ])
    expect(answers[2]?.fields).toMatchObject({
      'content-type': 'application/problem+json',
      'retry-after': expect.stringMatching(/^[1-9]\d{3}$/),
      'cache-control': 'no-store',
    })
  })

  it('fields are on raw responses, redirects, errors and what no route knows, and ends are told', async () => {
    const target = await start()
    const answers = []
    for (const path of ['raw', 'redirect', 'throws', 'streams', 'missing'])
      answers.push(await send(target, `/told/${path}`, { headers }))
    expect(answers.map(({ status, fields }) => [status, fields.ratelimit?.replace(/;t=\d+$/, '')])).toEqual([
      [200, '"1h";r=9'],
      [302, '"1h";r=8'],
      [500, '"1h";r=7'],
      [200, '"1h";r=6'],
      [404, '"1h";r=5'],
    ])
    expect(JSON.parse((await send(target, '/ended')).body)).toEqual([
      { path: '/told/raw', status: 200, aborted: false },
      { path: '/told/redirect', status: 302, aborted: false },
      { path: '/told/throws', status: 500, aborted: false },
      { path: '/told/streams', status: 200, aborted: false },
      { path: '/told/missing', status: 404, aborted: false },
    ])
  })

  it('nothing of Node is in the bundle', async () => {
    const { text } = await bundleForWeb(`${name.toLowerCase()}.ts`)
    expect(text).not.toMatch(/from\s*["']node:|require\(|import\(\s*["'](?:node:|fs|net|crypto)/)
  })
})

// A worker ends with its connection: what there is to say then is not run any more.
describe.each(['Bun', 'Deno'])('the Hono adapter on %s', (name) => {
  it('tells of a client that leaves in the middle of a body', async () => {
    const target = await runtimes[name]!()
    const socket = open(target, rawGet('/told/hangs'))
    await once(socket, 'data')
    socket.destroy()
    await vi.waitFor(
      async () => {
        const ended = JSON.parse((await send(target, '/ended')).body)
        expect(ended).toEqual([{ path: '/told/hangs', status: 200, aborted: true }])
      },
      { timeout: 10_000 },
    )
  })
})
