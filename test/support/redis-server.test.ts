import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { keyPrefix } from './keys.js'
import { type RedisServer, startRedis } from './redis-server.js'
import { waitUntil } from './wait-until.js'

describe('startRedis', () => {
  it('starts many servers at once, each on a port of its own', async () => {
    const servers = await Promise.all(Array.from({ length: 12 }, () => startRedis()))
    const pids = await Promise.all(servers.map(async (server) => (await server.info('server')).process_id))
    expect(pids).toEqual(servers.map(({ pid }) => String(pid)))
    expect(new Set(servers.map(({ port }) => port)).size).toBe(12)
    await Promise.all(servers.map((server) => server.stop()))
    expect(servers.every(({ state }) => state === 'dead')).toBe(true)
  })

  it('refuses a fixed port that another server has, and does not take that one for its own', async () => {
    const first = await startRedis()
    await expect(startRedis({ port: first.port })).rejects.toThrow(/Address already in use/)
    expect(await first.command('PING')).toBe('PONG')
    await first.stop()
  })

  it('never uses 6379', async () => {
    await expect(startRedis({ port: 6379 })).rejects.toThrow('6379')
  })

  it('shows the log of a server that does not start', async () => {
    await expect(startRedis({ args: ['--no-such-option', '1'] })).rejects.toThrow(/no-such-option/)
  })

  it('names the program that is missing', async () => {
    await expect(startRedis({ program: 'no-such-redis' })).rejects.toThrow(/no-such-redis cannot be started/)
  })

  it('can return while the server loads its data', async () => {
    // A server that loads looks at its sockets only every so many bytes.
    const loading = ['--key-load-delay', '2000', '--loading-process-events-interval-bytes', '1024']
    const server = await startRedis({ args: ['--rdbcompression', 'no', ...loading] })
    const keys = Array.from({ length: 300 }, (_, index) => [`key-${index}`, 'x'.repeat(1000)]).flat()
    await server.command('MSET', ...keys)
    await server.command('SAVE')
    await server.kill()
    await server.restart({ whileLoading: true })
    await expect(server.command('DBSIZE')).rejects.toThrow(/^LOADING/)
    expect(await waitUntil(() => server.command('DBSIZE'), { what: 'it has loaded' })).toBe(300)
    await server.stop()
  })
})

describe('a started server', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] })
  })
  afterAll(() => server.stop())
  let key: string
  beforeEach(() => {
    key = keyPrefix()
  })
  afterEach(() => expect(server.state).toBe('running'))

  it('answers commands with parsed replies and throws error replies', async () => {
    expect(await server.command('SET', key, 7, 'PX', 60_000)).toBe('OK')
    expect(await server.command('INCRBY', key, 3)).toBe(10)
    expect(await server.command('MGET', key, `${key}-none`)).toEqual(['10', null])
    await expect(server.command('LPUSH', key, 1)).rejects.toThrow(/^WRONGTYPE/)
  })

  it('counts calls by command', async () => {
    await server.resetStats()
    for (let call = 0; call < 3; call++) await server.command('INCR', key)
    const { incr, get } = await server.commandstats()
    expect(incr?.calls).toBe(3)
    expect(incr?.usecPerCall).toBeGreaterThanOrEqual(0)
    expect(get).toBeUndefined()
  })

  it('is gone after a kill, and back on the same port with its directory after a restart', async () => {
    const { pid, port } = server
    await server.command('SET', key, 'kept')
    await server.kill()
    expect(server.state).toBe('dead')
    await expect(server.command('PING')).rejects.toThrow(/ECONNREFUSED/)
    expect(() => server.freeze()).toThrow(/dead/)
    await server.restart()
    expect(await server.command('GET', key)).toBe('kept')
    expect(server.port).toBe(port)
    expect(server.pid).not.toBe(pid)
  })

  it('restarts when it is alive, and when it is frozen', async () => {
    await server.command('SET', key, 'kept')
    await server.restart()
    server.freeze()
    await server.restart()
    expect(await server.command('GET', key)).toBe('kept')
  })

  it('runs nothing while frozen, and what came meanwhile once it thaws', async () => {
    server.freeze()
    expect(server.state).toBe('frozen')
    let answered = false
    const late = server.command('INCR', key).then((reply) => {
      answered = true
      return reply
    })
    await expect(
      waitUntil(() => answered, { what: 'a frozen server answers', timeoutMs: 200 }),
    ).rejects.toThrow('Timed out')
    server.thaw()
    expect(await late).toBe(1)
  })

  it('can be killed while frozen', async () => {
    server.freeze()
    await server.kill()
    expect(server.state).toBe('dead')
    await server.restart()
  })
})
