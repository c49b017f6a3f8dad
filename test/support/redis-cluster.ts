import { idOf, isClusterOk, readSlots, type SlotRange } from './cluster-map.js'
import { type Preload, type RedisServer, startRedis } from './redis-server.js'
import { type SlotMove, startMove } from './slot-move.js'
import { waitUntil } from './wait-until.js'

/** The shape of a cluster. */
export interface ClusterOptions {
  /** @default 3 */
  readonly primaries?: number
  /** @default 0 */
  readonly replicasEach?: 0 | 1
  /** Silence after which a node counts as failed; a failover takes about 2.5 times as long. @default 1000 */
  readonly nodeTimeoutMs?: number
  /** More arguments for each server. */
  readonly args?: readonly string[]
  /** What to load into the node with this index, such as a clock of its own. */
  readonly preload?: (index: number) => Preload
}

/** A real Redis Cluster on the loopback address. */
export interface RedisCluster {
  /** The primaries in order of their slots, then their replicas in the same order: roles at the start. */
  readonly nodes: readonly RedisServer[]
  readonly addresses: readonly { readonly host: string; readonly port: number }[]
  slotOf(key: string): Promise<number>
  /** The node that serves a slot now. */
  primaryOf(slot: number): Promise<RedisServer>
  /** A running primary that does not serve this slot now: somewhere to move it to. */
  otherPrimary(slot: number): Promise<RedisServer>
  /** The nodes that now follow the primary of a slot, dead ones included while the cluster lists them. */
  replicasOf(slot: number): Promise<readonly RedisServer[]>
  /** Begins a move that the test takes further itself. */
  startMove(slot: number, to: RedisServer): Promise<SlotMove>
  /** Moves slots with their keys to another primary and waits until all nodes know. */
  moveSlots(slots: readonly number[], to: RedisServer): Promise<void>
  /** Waits until every slot has a running owner on which all running nodes agree. @default 15 000 ms */
  waitUntilOk(timeoutMs?: number): Promise<void>
  stop(): Promise<void>
}

const slotCount = 16_384

/** Starts and joins the nodes of a cluster and waits until it serves all slots; about 3 s. */
export async function startCluster(options: ClusterOptions = {}): Promise<RedisCluster> {
  const { primaries = 3, replicasEach = 0, nodeTimeoutMs = 1000, args = [], preload } = options
  const count = primaries * (1 + replicasEach)
  const nodeArgs = ['--cluster-enabled', 'yes', '--cluster-node-timeout', String(nodeTimeoutMs), ...args]
  const started = await Promise.allSettled(
    Array.from({ length: count }, (_, index) =>
      startRedis({ args: nodeArgs, ...(preload && { preload: preload(index) }) }),
    ),
  )
  const nodes = started.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  const cluster = clusterOf(nodes)
  try {
    for (const outcome of started) if (outcome.status === 'rejected') throw outcome.reason
    await join(nodes, primaries)
    await cluster.waitUntilOk()
  } catch (error) {
    await cluster.stop()
    throw error
  }
  return cluster
}

async function join(nodes: readonly RedisServer[], primaries: number): Promise<void> {
  const share = (index: number): number => Math.round((index * slotCount) / primaries)
  for (const [index, node] of nodes.entries()) {
    // Epochs that differ from the start spare the nodes a round of collisions.
    await node.command('CLUSTER', 'SET-CONFIG-EPOCH', index + 1)
    if (index < primaries) {
      await node.command('CLUSTER', 'ADDSLOTSRANGE', share(index), share(index + 1) - 1)
    }
    // Each node meets each before it, so that nobody has to wait for gossip.
    for (const met of nodes.slice(0, index)) await node.command('CLUSTER', 'MEET', '127.0.0.1', met.port)
  }
  const follow = async (replica: RedisServer, primary: RedisServer | undefined): Promise<void> => {
    if (primary === undefined) return
    const primaryId = await idOf(primary)
    const what = `port ${replica.port} knows the primary on port ${primary.port}`
    await waitUntil(() => replica.command('CLUSTER', 'REPLICATE', primaryId), { what, timeoutMs: 10_000 })
  }
  await Promise.all(nodes.slice(primaries).map((replica, index) => follow(replica, nodes[index])))
}

function clusterOf(nodes: readonly RedisServer[]): RedisCluster {
  const runningNode = (): RedisServer => found(nodes.find(isRunning), 'a running state')
  const nodeAt = (port: number): RedisServer =>
    found(
      nodes.find((node) => node.port === port),
      `port ${port}`,
    )
  const rangeOf = async (slot: number): Promise<SlotRange> => {
    const ranges = await readSlots(runningNode())
    return found(
      ranges.find(({ first, last }) => first <= slot && slot <= last),
      `slot ${slot}`,
    )
  }
  const primaryOf = async (slot: number): Promise<RedisServer> => nodeAt((await rangeOf(slot)).primaryPort)
  const listPrimaries = async (): Promise<readonly RedisServer[]> => {
    const ranges = await readSlots(runningNode())
    return [...new Set(ranges.map(({ primaryPort }) => primaryPort))].map(nodeAt)
  }
  const beginMove = async (slot: number, to: RedisServer): Promise<SlotMove> =>
    startMove(slot, { from: await primaryOf(slot), to, primaries: await listPrimaries() })
  const waitUntilOk = async (timeoutMs = 15_000): Promise<void> => {
    await waitUntil(() => isClusterOk(nodes), { what: 'the cluster is ok', timeoutMs, intervalMs: 50 })
  }
  return {
    nodes,
    addresses: nodes.map(({ port }) => ({ host: '127.0.0.1', port })),
    slotOf: async (key) => Number(await runningNode().command('CLUSTER', 'KEYSLOT', key)),
    primaryOf,
    async otherPrimary(slot) {
      const owner = await primaryOf(slot)
      const others = (await listPrimaries()).filter((node) => node !== owner && isRunning(node))
      return found(others[0], `slots besides ${slot}`)
    },
    replicasOf: async (slot) => (await rangeOf(slot)).replicaPorts.map(nodeAt),
    startMove: beginMove,
    async moveSlots(slots, to) {
      for (const slot of slots) {
        if ((await primaryOf(slot)) !== to) await (await beginMove(slot, to)).finish()
      }
      await waitUntilOk()
    },
    waitUntilOk,
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()))
    },
  }
}

function isRunning({ state }: RedisServer): boolean {
  return state === 'running'
}

function found<Item>(item: Item | undefined, what: string): Item {
  if (item === undefined) throw new Error(`The cluster has no node with ${what}`)
  return item
}
