import type { RedisServer } from './redis-server.js'
import type { Reply } from './resp.js'

/** The name under which the sentinels of a test know their primary. */
export const primaryName = 'main'

/** A primary and the server that follows it. */
export interface ReplicaPair {
  readonly primary: RedisServer
  readonly replica: RedisServer
}

/** The port of the server that a sentinel names as primary. */
export async function namedPort(sentinel: RedisServer): Promise<number> {
  const address = await sentinel.command('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', primaryName)
  return Array.isArray(address) ? Number(address[1]) : 0
}

/** How many other sentinels a sentinel has heard of. */
export async function peersOf(sentinel: RedisServer): Promise<number> {
  return Number(
    fieldsOf(await sentinel.command('SENTINEL', 'MASTER', primaryName)).get('num-other-sentinels'),
  )
}

/** Whether a sentinel could promote the replica: it has seen it in good health behind this primary. */
export async function seesPair(sentinel: RedisServer, { primary, replica }: ReplicaPair): Promise<boolean> {
  const rows = await sentinel.command('SENTINEL', 'REPLICAS', primaryName)
  const seen = (Array.isArray(rows) ? rows : []).map(fieldsOf)
  return seen.some(
    (row) =>
      row.get('port') === String(replica.port) &&
      row.get('flags') === 'slave' &&
      row.get('master-link-status') === 'ok' &&
      row.get('master-port') === String(primary.port),
  )
}

/** Whether both servers agree that one follows the other, and writes reach it now. */
export async function isLinked({ primary, replica }: ReplicaPair): Promise<boolean> {
  const [above, below] = await Promise.all([primary.info('replication'), replica.info('replication')])
  const follows = below.master_port === String(primary.port) && below.master_link_status === 'up'
  return follows && above.role === 'master' && /state=online/.test(above.slave0 ?? '')
}

function fieldsOf(reply: Reply): ReadonlyMap<unknown, unknown> {
  const items = Array.isArray(reply) ? reply : []
  return new Map(items.flatMap((item, index) => (index % 2 === 0 ? [[item, items[index + 1]] as const] : [])))
}
