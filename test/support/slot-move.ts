import { idOf } from './cluster-map.js'
import type { RedisServer } from './redis-server.js'

/** The two ends of a move, and all primaries that must hear of it. */
export interface MoveRoute {
  readonly from: RedisServer
  readonly to: RedisServer
  readonly primaries: readonly RedisServer[]
}

/** A slot on its way. Until {@link SlotMove.finish} keys that have left answer ASK, and two keys TRYAGAIN. */
export interface SlotMove {
  /** Carries the keys that are in the slot now; returns how many. */
  moveKeys(): Promise<number>
  /** Carries the remaining keys and gives the slot to its new owner. */
  finish(): Promise<void>
}

/** Begins to move a slot: the new owner imports, the old one migrates. */
export async function startMove(slot: number, { from, to, primaries }: MoveRoute): Promise<SlotMove> {
  const [fromId, toId] = await Promise.all([idOf(from), idOf(to)])
  await to.command('CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId)
  await from.command('CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId)
  const moveKeys = async (): Promise<number> => {
    const keys = await from.command('CLUSTER', 'GETKEYSINSLOT', slot, 1000)
    if (!Array.isArray(keys) || keys.length === 0) return 0
    await from.command('MIGRATE', '127.0.0.1', to.port, '', 0, 5000, 'KEYS', ...keys)
    return keys.length
  }
  return {
    moveKeys,
    async finish() {
      while ((await moveKeys()) > 0);
      // The new owner first: were it told last, it would send back what the old owner sends on.
      const others = primaries.filter((node) => node !== to && node !== from && node.state === 'running')
      for (const node of [to, from, ...others]) await node.command('CLUSTER', 'SETSLOT', slot, 'NODE', toId)
    },
  }
}
