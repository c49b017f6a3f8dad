import type { RedisServer } from './redis-server.js'

/** Slots that one primary serves, both ends included. */
export interface SlotRange {
  readonly first: number
  readonly last: number
  readonly primaryPort: number
  readonly replicaPorts: readonly number[]
}

/** Who serves what, as one node sees it; ordered by slot. */
export async function readSlots(node: RedisServer): Promise<readonly SlotRange[]> {
  const rows = listOf(await node.command('CLUSTER', 'SLOTS'))
  const ranges = rows.map((row) => {
    const [first, last, primary, ...replicas] = listOf(row)
    return {
      first: Number(first),
      last: Number(last),
      primaryPort: portOf(primary),
      replicaPorts: replicas.map(portOf).sort((a, b) => a - b),
    }
  })
  return ranges.sort((a, b) => a.first - b.first)
}

/** The id of a node, which it keeps over restarts. */
export async function idOf(node: RedisServer): Promise<string> {
  return String(await node.command('CLUSTER', 'MYID'))
}

/**
 * Whether the cluster works: every slot belongs to a running node, all running nodes agree on that and call
 * the state ok, and every running replica is linked to its primary and listed by all.
 */
export async function isClusterOk(nodes: readonly RedisServer[]): Promise<boolean> {
  const running = nodes.filter(({ state }) => state === 'running')
  const ports = new Set(running.map(({ port }) => port))
  const views = await Promise.all(running.map(readSlots))
  const [view = []] = views
  const covered = view.reduce((sum, { first, last }) => sum + last - first + 1, 0)
  if (covered !== 16_384 || !view.every(({ primaryPort }) => ports.has(primaryPort))) return false
  if (new Set(views.map((ranges) => JSON.stringify(ranges.map(ownership)))).size > 1) return false
  return (await Promise.all(running.map((node) => isNodeOk(node, views)))).every(Boolean)
}

async function isNodeOk(node: RedisServer, views: readonly (readonly SlotRange[])[]): Promise<boolean> {
  const state = String(await node.command('CLUSTER', 'INFO'))
  const { role, master_link_status: link } = await node.info('replication')
  const isListed = (ranges: readonly SlotRange[]): boolean =>
    ranges.some(({ replicaPorts }) => replicaPorts.includes(node.port))
  return state.includes('cluster_state:ok') && (role === 'master' || (link === 'up' && views.every(isListed)))
}

function ownership({ first, last, primaryPort }: SlotRange): readonly number[] {
  return [first, last, primaryPort]
}

function portOf(node: unknown): number {
  return Number(listOf(node)[1])
}

function listOf(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw new TypeError(`Not a list in CLUSTER SLOTS: ${JSON.stringify(reply)}`)
  return reply
}
