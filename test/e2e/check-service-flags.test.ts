import { beforeAll, describe, expect, it } from 'vitest'
import { readBenchFlags } from '../../examples/check-service/src/bench/flags.js'
import { readClusterFlags } from '../../examples/check-service/src/cluster/flags.js'
import { readFlags } from '../../examples/check-service/src/flags.js'
import { ensureBuilt } from '../scripts/setup.mjs'
import { freePort } from '../support/free-port.js'
import { runProgram, startNode } from './check-service.js'

beforeAll(() => ensureBuilt(), 120_000)

describe('a flag that is wrong is refused by name', () => {
  it.each([
    ['--addr', ['--addr', '8001x']],
    ['--addr', ['--addr', '127.0.0.1:70000']],
    ['--redis', ['--redis', 'localhost:6379']],
    ['--redis', ['--redis', 'http://localhost']],
    ['--deadline-ms', ['--deadline-ms', '0']],
    ['--deadline-ms', ['--deadline-ms', '50ms']],
    ['--colour', ['--colour', 'red']],
  ])('service: %s in %j', (named, flags) => {
    expect(() => readFlags(flags)).toThrow(named)
  })

  it.each([
    ['--port', ['--port', '0']],
    ['--port', ['--port', '65536']],
    ['6379', ['--redis-port', '6379']],
    ['--node-ports', ['--node-ports', '8001,,8003']],
    ['two of the ports are the same', ['--port', '8001']],
  ])('cluster: %s in %j', (named, flags) => {
    expect(() => readClusterFlags(flags)).toThrow(named)
  })

  it.each([
    ['--allow-remote', ['--url', 'http://192.0.2.1:8000']],
    ['--allow-remote', ['--url', 'http://0.0.0.0:8000']],
    ['--allow-remote', ['--url', 'http://example.org']],
    ['--allow-remote', ['--url', 'http://127.0.0.1.example.org']],
    ['--allow-remote', ['--url', 'http://localhost@192.0.2.1']],
    ['--allow-remote', ['--url', 'http://[::ffff:192.0.2.1]']],
    ['--url', ['--url', 'https://127.0.0.1']],
    ['--url', ['--url', 'http://127.0.0.1/check']],
    ['--concurrency', ['--concurrency', '0']],
    ['--requests', ['--requests', '1e9']],
  ])('bench: %s in %j', (named, flags) => {
    expect(() => readBenchFlags(flags)).toThrow(named)
  })

  it.each(['http://127.0.0.1:8000', 'http://localhost:8000', 'http://127.9.9.9', 'http://[::1]:8000'])(
    'bench: %s is this machine',
    (url) => expect(readBenchFlags(['--url', url]).origin).toBe(url),
  )
})

describe('what a person sees who starts it wrongly', () => {
  it.each([
    ['main', ['--addr', 'x'], '--addr takes a port'],
    // Only core knows these two limits.
    ['main', ['--deadline-ms', '60001'], 'deadlineMs: must be'],
    ['main', ['--prefix', 'a{b}'], 'prefix: is'],
    ['cluster', ['--port', 'x'], '--port takes ports'],
    ['bench', ['--url', 'http://example.org'], 'is not this machine'],
  ] as const)('%s %j: what is wrong, and exit code 2', async (name, flags, message) => {
    const { code, output } = await runProgram(name, flags)
    expect(output).toContain(message)
    expect(code).toBe(2)
  })

  it('a port that is taken: what to do, and exit code 1', async () => {
    const node = await startNode(['--constant'])
    const { code, output } = await runProgram('main', ['--addr', `127.0.0.1:${node.port}`, '--constant'])
    node.kill()
    expect([code, output]).toEqual([1, expect.stringContaining('give another --addr')])
  })

  it('a benchmark where nothing answers: what to do, and exit code 1', async () => {
    const { code, output } = await runProgram('bench', ['--url', `http://127.0.0.1:${await freePort()}`])
    expect([code, output]).toEqual([1, expect.stringContaining('npm run cluster')])
  })

  it('a password in the URL of Redis is not printed', async () => {
    const port = await freePort()
    const node = await startNode(['--redis', `redis://:hunter2@127.0.0.1:${port}`])
    node.kill()
    await node.ended
    expect(node.output()).toContain(`counts in redis://127.0.0.1:${port}.`)
    expect(node.output()).not.toContain('hunter2')
  })
})
