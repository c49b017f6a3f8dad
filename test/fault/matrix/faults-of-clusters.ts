import { type RedisCluster, startCluster } from '../../support/redis-cluster.js'
import type { RedisServer } from '../../support/redis-server.js'
import { waitUntil } from '../../support/wait-until.js'
import type { Fault, Stage } from './fault.js'
import { keysAt, wiresToCluster } from './places.js'
import { stageOver } from './stage.js'

/** Faults of a cluster of three primaries; the key is of the first. */
export const FAULTS_OF_CLUSTERS: readonly Fault[] = [
  {
    name: 'CLUSTERDOWN',
    made: 'SIGKILL for two of three primaries; started again',
    decidedBy: 'stand-in',
    open: onCluster({
      async begin({ nodes: [first, ...others] }) {
        for (const node of others) await node.kill()
        const isDown = async () => {
          return String(await first?.command('CLUSTER', 'INFO')).includes('cluster_state:fail')
        }
        await waitUntil(isDown, { what: 'the cluster is down', timeoutMs: 10_000 })
      },
      async end(cluster) {
        for (const node of cluster.nodes.slice(1)) await node.restart()
        await cluster.waitUntilOk(30_000)
      },
    }),
  },
  {
    name: 'MOVED storm',
    made: 'CLUSTER SETSLOT: two primaries each send to the other; back',
    waits: 'perhaps',
    decidedBy: 'stand-in',
    // A call goes sixteen times from one to the other.
    sends: { connections: 100, scriptCalls: 600 },
    // A node gives a slot away only when it holds no key of it.
    losesCounts: true,
    open: onCluster({
      begin: (cluster, slot, keys) => giveAway(cluster, slot, keys),
      end: (cluster, slot) => takeBack(cluster, slot),
    }),
  },
]

interface Acts {
  readonly begin: (cluster: RedisCluster, slot: number, keys: readonly string[]) => Promise<unknown>
  readonly end: (cluster: RedisCluster, slot: number) => Promise<unknown>
}

function onCluster({ begin, end }: Acts): () => Promise<Stage> {
  return async () => {
    const cluster = await startCluster()
    const wires = await wiresToCluster(cluster)
    const [place] = wires.places
    if (place === undefined) throw new Error('there are no places')
    const slot = await cluster.slotOf(`{${place.key}}`)
    return {
      ...stageOver(wires),
      begin: () => begin(cluster, slot, keysAt(place)),
      end: () => end(cluster, slot),
      async stop() {
        wires.stop()
        await cluster.stop()
      },
    }
  }
}

/** The first says that the second has the slot; the second has never heard of that, and says that the first has it. */
async function giveAway({ nodes: [first, second] }: RedisCluster, slot: number, keys: readonly string[]) {
  const id = String(await second?.command('CLUSTER', 'MYID'))
  // Decisions write the key again: until one attempt is quick enough.
  const give = async () => {
    await first?.command('DEL', ...keys)
    return first?.command('CLUSTER', 'SETSLOT', slot, 'NODE', id)
  }
  await waitUntil(give, { what: 'the slot is given away', intervalMs: 1 })
}

async function takeBack({ nodes: [first] }: RedisCluster, slot: number): Promise<void> {
  const { command } = first as RedisServer
  await command('CLUSTER', 'SETSLOT', slot, 'NODE', String(await command('CLUSTER', 'MYID')))
}
