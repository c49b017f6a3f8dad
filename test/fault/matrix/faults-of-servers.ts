import { connect } from 'node:net'
import { freePort } from '../../support/free-port.js'
import type { RedisServer } from '../../support/redis-server.js'
import { encodeCommand } from '../../support/resp.js'
import { waitUntil } from '../../support/wait-until.js'
import type { Fault } from './fault.js'
import { onServer } from './stage.js'

/** A dataset that takes more than half a minute to load at this pace, and a server that looks at its sockets meanwhile. */
const SLOW_TO_LOAD = [
  ...['--appendonly', 'yes', '--enable-debug-command', 'yes'],
  ...['--key-load-delay', '100', '--loading-process-events-interval-bytes', '4096'],
]

/** Faults of a server process, and states of a server. */
export const FAULTS_OF_SERVERS: readonly Fault[] = [
  {
    name: 'killed',
    made: 'SIGKILL; started again on its port',
    decidedBy: 'stand-in',
    losesCounts: true,
    open: onServer({ begin: ({ server }) => server.kill(), end: ({ server }) => server.restart() }),
  },
  {
    name: 'frozen',
    made: 'SIGSTOP; SIGCONT',
    waits: 'always',
    decidedBy: 'stand-in',
    open: onServer({ begin: ({ server }) => server.freeze(), end: ({ server }) => server.thaw() }),
  },
  {
    name: 'LOADING, 300,000 keys',
    made: 'SIGKILL and a start with `key-load-delay`; then without',
    decidedBy: 'stand-in',
    open: onServer({
      args: SLOW_TO_LOAD,
      async prepare({ server }) {
        await server.command('DEBUG', 'POPULATE', 300_000, 'dataset', 50)
        await server.command('BGREWRITEAOF')
        const isWritten = async () => (await server.info('persistence')).aof_rewrite_in_progress === '0'
        await waitUntil(isWritten, { what: 'the dataset is in the file', timeoutMs: 20_000 })
      },
      async begin({ server }) {
        await server.kill()
        await server.restart({ whileLoading: true })
      },
      async end({ server }) {
        await server.command('CONFIG', 'SET', 'key-load-delay', 0)
        await waitUntil(() => server.command('PING'), { what: 'all is loaded', timeoutMs: 20_000 })
      },
    }),
  },
  {
    name: 'BUSY',
    made: 'a script that loops; SCRIPT KILL',
    waits: 'always',
    decidedBy: 'stand-in',
    open: onServer({
      args: ['--busy-reply-threshold', '100'],
      async begin({ server }) {
        runForEver(server)
        await waitUntil(() => answersWith(server, 'BUSY'), { what: 'it is busy' })
      },
      end: ({ server }) => server.command('SCRIPT', 'KILL'),
    }),
  },
  {
    name: 'out of memory',
    made: '`maxmemory 1` with noeviction; `maxmemory 0`',
    decidedBy: 'stand-in',
    open: onServer({
      begin: ({ server }) => server.command('CONFIG', 'SET', 'maxmemory', 1),
      end: ({ server }) => server.command('CONFIG', 'SET', 'maxmemory', 0),
    }),
  },
  {
    name: 'read-only replica',
    made: 'REPLICAOF a port where nobody listens; NO ONE',
    decidedBy: 'stand-in',
    // It is left at each such answer, to find the primary.
    sends: { connections: 25 },
    open: onServer({
      begin: async ({ server }) => server.command('REPLICAOF', '127.0.0.1', await freePort()),
      end: ({ server }) => server.command('REPLICAOF', 'NO', 'ONE'),
    }),
  },
  {
    name: 'scripts flushed',
    made: 'SCRIPT FLUSH twenty times a second',
    decidedBy: 'store',
    sends: { scriptCalls: 1200 },
    open: onServer({
      begin: ({ server, repeat }) => repeat(50, () => server.command('SCRIPT', 'FLUSH')),
      end: () => undefined,
    }),
  },
  {
    name: 'wrong type at the key',
    made: 'a list is put there; DEL',
    decidedBy: 'stand-in',
    // The server is well, so it is asked each time.
    sends: { scriptCalls: 600 },
    losesCounts: true,
    open: onServer({
      // In one step: a decision in between would write the key again.
      begin: ({ server, keys }) => Promise.all(keys.map((key) => server.command('EVAL', LIST, 1, key))),
      end: ({ server, keys }) => server.command('DEL', ...keys),
    }),
  },
]

const LIST = "redis.call('DEL', KEYS[1]) return redis.call('LPUSH', KEYS[1], 'not ours')"

function runForEver({ port }: RedisServer): void {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => {})
  socket.unref().write(encodeCommand(['EVAL', 'while true do end', 0]))
}

async function answersWith(server: RedisServer, code: string): Promise<boolean> {
  const error: unknown = await server.command('PING').catch((error: unknown) => error)
  return error instanceof Error && error.message.startsWith(code)
}
