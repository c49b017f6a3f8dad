import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../support/free-port.js'
import { type RedisServer, startRedis } from '../../support/redis-server.js'
import type { TcpProxy } from '../../support/tcp-proxy.js'
import { waitUntil } from '../../support/wait-until.js'
import type { Fault, Stage } from './fault.js'
import { wiresTo } from './places.js'
import { onServer, type Scene, stageOver } from './stage.js'

/** What a client may be given for an answer: what answers another question, numbers that lie, nothing that it can parse. */
const GARBAGE = ['+OK\r\n', ':1\r\n', '$-1\r\n', '*2\r\n:1\r\n:1\r\n', '$5\r\nvalue\r\n', '\u0001?']

/** Faults between a client and a server that is well, and of a server that is not there yet. */
export const FAULTS_OF_WIRES: readonly Fault[] = [
  {
    name: 'refused port',
    made: 'the proxy drops all and refuses; listens',
    decidedBy: 'stand-in',
    open: onServer({
      begin: onWires((proxy) => {
        proxy.refuse()
        proxy.dropAll()
      }),
      end: onWires((proxy) => proxy.listen()),
    }),
  },
  {
    name: 'black hole',
    made: 'the proxy passes nothing on; passes it on',
    waits: 'always',
    decidedBy: 'stand-in',
    open: onServer({ begin: onWires((proxy) => proxy.stall()), end: onWires((proxy) => proxy.pass()) }),
  },
  {
    name: 'slow by 5 s',
    made: 'the proxy delays replies by 5000 ms; by 0',
    waits: 'always',
    decidedBy: 'stand-in',
    runsUnanswered: true,
    // Replies that are under way still take their time, and those after them queue.
    backWithinMs: 6500,
    open: onServer({ begin: onWires((proxy) => proxy.delay(5000)), end: onWires((proxy) => proxy.pass()) }),
  },
  {
    name: 'garbage replies',
    made: 'the proxy answers by itself, six kinds in turn; drops all and passes',
    decidedBy: 'stand-in',
    open: onServer({
      begin({ proxies, repeat }) {
        let turn = 0
        repeat(600, () => {
          const bytes = GARBAGE[turn++] ?? GARBAGE.at(-1)!
          for (const proxy of proxies) proxy.garbage(bytes)
        })
      },
      // What gave garbage does not turn into a Redis in the middle of a connection, of whose requests some had no answer.
      end: onWires((proxy) => {
        proxy.dropAll()
        proxy.pass()
      }),
    }),
  },
  {
    name: 'cut before the server runs a call',
    made: 'the proxy cuts twice a second',
    decidedBy: 'both',
    sends: { scriptCalls: 600 },
    open: cutting((proxy) => proxy.cutBeforeRequest('evalsha')),
  },
  {
    name: 'cut after the server ran a call',
    made: 'the proxy cuts twice a second',
    decidedBy: 'both',
    sends: { scriptCalls: 600 },
    runsUnanswered: true,
    open: cutting((proxy) => proxy.cutAfterRequest('evalsha')),
  },
  {
    name: 'name without an address at the start',
    made: 'a name of `.invalid`; then it is the address of the server',
    fromStart: true,
    decidedBy: 'stand-in',
    backWithinMs: 2500,
    open: async () => absent('redis.rl-test.invalid'),
  },
  {
    name: 'absent at the start',
    made: 'no server, and the proxy refuses; a server, and it listens',
    fromStart: true,
    decidedBy: 'stand-in',
    open: async () => absent(),
  },
]

function onWires(act: (proxy: TcpProxy) => unknown) {
  return async ({ proxies }: Scene): Promise<void> => {
    for (const proxy of proxies) await act(proxy)
  }
}

/** Twice a second the next call of each is cut; a tenth of a second later nothing is, so that a probe has a chance. */
function cutting(arm: (proxy: TcpProxy) => Promise<void>): () => Promise<Stage> {
  return onServer({
    begin: ({ proxies, repeat }) =>
      repeat(400, async () => {
        for (const proxy of proxies) void arm(proxy)
        await sleep(100)
        for (const proxy of proxies) proxy.pass()
      }),
    end: onWires((proxy) => proxy.pass()),
  })
}

/** A server that comes up when the fault ends. With a name, the child resolves it from then on. */
async function absent(name?: string): Promise<Stage> {
  const port = await freePort()
  const wires = await wiresTo(port, name)
  let server: RedisServer | undefined
  for (const proxy of wires.all) proxy.refuse()
  return {
    ...stageOver(wires),
    begin: async () => {},
    async end() {
      server = await startRedis({ port })
      for (const proxy of wires.all) await proxy.listen()
      await waitUntil(() => server?.command('PING'), { what: 'it answers' })
    },
    async stop() {
      wires.stop()
      await server?.stop()
    },
  }
}
