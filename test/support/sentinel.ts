import { type RedisServer, startRedis } from './redis-server.js'
import { isLinked, namedPort, peersOf, primaryName, seesPair } from './sentinel-view.js'
import { waitUntil } from './wait-until.js'

/** The shape of a watched pair. */
export interface SentinelOptions {
  /** @default 3 */
  readonly sentinels?: number
  /** Silence after which a sentinel counts the primary as down. @default 500 */
  readonly downAfterMs?: number
  /** More arguments for the two servers. */
  readonly args?: readonly string[]
}

/** A primary and a replica under the watch of sentinels. */
export interface SentinelGroup {
  /** The name under which the sentinels know the primary. */
  readonly name: string
  /** The server that was primary at first. */
  readonly primary: RedisServer
  /** The server that was replica at first. */
  readonly replica: RedisServer
  readonly sentinels: readonly RedisServer[]
  /** Of the sentinels, as clients want them. */
  readonly addresses: readonly { readonly host: string; readonly port: number }[]
  /** The server that most sentinels name as primary now. */
  currentPrimary(): Promise<RedisServer>
  /** Waits until most sentinels name another server than `old`, and it is one. @default 15 000 ms */
  waitForNewPrimary(old: RedisServer, timeoutMs?: number): Promise<RedisServer>
  /**
   * Waits until the other server follows the current primary and all sentinels have seen that. After a
   * failover it takes two seconds to get there; a primary that dies before has no successor.
   */
  waitUntilFollowed(): Promise<void>
  /**
   * Orders a failover while both servers live, waits for it and returns the new primary. For about two
   * seconds the old one still takes writes, which are lost: {@link SentinelGroup.waitUntilFollowed} waits for
   * the end of that.
   */
  failover(): Promise<RedisServer>
  stop(): Promise<void>
}

/** Starts a primary, a replica and sentinels, and waits until they know each other; about 0.5 s. */
export async function startSentinel(options: SentinelOptions = {}): Promise<SentinelGroup> {
  const { sentinels: count = 3, downAfterMs = 500, args = [] } = options
  const servers: RedisServer[] = []
  const start = async (serverArgs: readonly string[]): Promise<RedisServer> => {
    const server = await startRedis({ args: serverArgs })
    servers.push(server)
    return server
  }
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.stop()))
  }
  try {
    const [primary, replica] = [await start(args), await start(args)]
    await replica.command('REPLICAOF', '127.0.0.1', primary.port)
    await waitUntil(() => isLinked({ primary, replica }), { what: 'the replica is linked' })
    const sentinels: RedisServer[] = []
    for (let index = 0; index < count; index++) sentinels.push(await start(['--sentinel']))
    await watchPrimary(sentinels, primary.port, downAfterMs)
    const group = groupOf({ primary, replica, sentinels })
    await group.waitUntilFollowed()
    return { ...group, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function watchPrimary(
  sentinels: readonly RedisServer[],
  port: number,
  downAfterMs: number,
): Promise<void> {
  const quorum = Math.floor(sentinels.length / 2) + 1
  // The periods are made for networks; shorter ones suit a test. Five pings must stay longer than the second
  // after which a sentinel looks at a replica again when the primary is down: else it finds none good enough.
  const periods = ['INFO-PERIOD', 200, 'PUBLISH-PERIOD', 200, 'ASK-PERIOD', 100, 'PING-PERIOD', 400]
  // A sentinel that had no turn for two seconds sits out this long; on a busy machine 30 s would be the test.
  const tilt = ['TILT-PERIOD', 1000]
  const settings = ['down-after-milliseconds', downAfterMs, 'failover-timeout', 2000]
  for (const sentinel of sentinels) {
    await sentinel.command('SENTINEL', 'DEBUG', ...periods, ...tilt)
    await sentinel.command('SENTINEL', 'MONITOR', primaryName, '127.0.0.1', port, quorum)
    await sentinel.command('SENTINEL', 'SET', primaryName, ...settings)
  }
  const haveMet = async (): Promise<boolean> => {
    const peers = await Promise.all(sentinels.map(peersOf))
    return peers.every((count) => count === sentinels.length - 1)
  }
  await waitUntil(haveMet, { what: 'the sentinels know each other', timeoutMs: 10_000, intervalMs: 20 })
  // A sentinel that sees a promoted server before it hears of the failover turns it back into a replica after
  // four of these periods; the news takes up to a second.
  const slower = (sentinel: RedisServer): Promise<unknown> =>
    sentinel.command('SENTINEL', 'DEBUG', 'PUBLISH-PERIOD', 500)
  await Promise.all(sentinels.map(slower))
}

type Servers = Pick<SentinelGroup, 'primary' | 'replica' | 'sentinels'>

function groupOf({ primary, replica, sentinels }: Servers): Omit<SentinelGroup, 'stop'> {
  const running = (): readonly RedisServer[] => sentinels.filter(({ state }) => state === 'running')
  const currentPrimary = async (): Promise<RedisServer> => {
    const ports = await Promise.all(running().map(namedPort))
    const votes = (server: RedisServer): number => ports.filter((port) => port === server.port).length
    return votes(replica) > votes(primary) ? replica : primary
  }
  const isFollowed = async (): Promise<boolean> => {
    const current = await currentPrimary()
    const pair = { primary: current, replica: current === primary ? replica : primary }
    const seen = await Promise.all(running().map((sentinel) => seesPair(sentinel, pair)))
    return seen.every(Boolean) && (await isLinked(pair))
  }
  const waitUntilFollowed = async (): Promise<void> => {
    const what = 'all sentinels see the current primary with a linked replica'
    await waitUntil(isFollowed, { what, timeoutMs: 15_000, intervalMs: 20 })
  }
  const waitForNewPrimary = (old: RedisServer, timeoutMs = 15_000): Promise<RedisServer> => {
    const what = `the sentinels name another primary than port ${old.port}`
    const takeOver = async (): Promise<RedisServer | false> => {
      const current = await currentPrimary()
      return current !== old && (await current.info('replication')).role === 'master' && current
    }
    return waitUntil(takeOver, { what, timeoutMs, intervalMs: 20 })
  }
  return {
    name: primaryName,
    primary,
    replica,
    sentinels,
    addresses: sentinels.map(({ port }) => ({ host: '127.0.0.1', port })),
    currentPrimary,
    waitForNewPrimary,
    waitUntilFollowed,
    async failover() {
      await waitUntilFollowed()
      const [old, leader] = [await currentPrimary(), running()[0]]
      if (leader === undefined) throw new Error('No sentinel is running that could order a failover')
      await leader.command('SENTINEL', 'FAILOVER', primaryName)
      return waitForNewPrimary(old)
    },
  }
}
