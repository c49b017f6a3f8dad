import { setTimeout as sleep } from 'node:timers/promises'
import { type RedisServer, startRedis } from '../../support/redis-server.js'
import type { TcpProxy } from '../../support/tcp-proxy.js'
import type { Place, Stage } from './fault.js'
import { keysAt, type Wires, wiresTo } from './places.js'

/** What a fault works on. */
export interface Scene {
  readonly server: RedisServer
  readonly proxies: readonly TcpProxy[]
  /** The keys of the limiters. */
  readonly keys: readonly string[]
  /** Acts now, and again and again until the fault ends. */
  repeat(everyMs: number, act: () => unknown): void
}

interface Acts {
  readonly args?: readonly string[]
  /** Before any client is there. */
  readonly prepare?: (scene: Scene) => unknown
  readonly begin: (scene: Scene) => unknown
  readonly end: (scene: Scene) => unknown
}

/** A fault of one server, or on the wires to it. */
export function onServer({ args = [], prepare, begin, end }: Acts): () => Promise<Stage> {
  return async () => {
    const server = await startRedis({ args })
    const wires = await wiresTo(server.port)
    const repeats = repeater()
    const keys = keysAt(wires.places[0] as Place)
    const scene = { server, proxies: wires.all, keys, repeat: repeats.repeat }
    await prepare?.(scene)
    return {
      ...stageOver(wires),
      begin: async () => begin(scene),
      async end() {
        await repeats.stop()
        await end(scene)
      },
      async stop() {
        await repeats.stop()
        wires.stop()
        await server.stop()
      },
    }
  }
}

/** The part of a stage that its wires give. */
export function stageOver({ places, sent }: Wires): Pick<Stage, 'places' | 'sent'> {
  return { places, sent }
}

export interface Repeater {
  repeat(everyMs: number, act: () => unknown): void
  stop(): Promise<unknown>
}

export function repeater(): Repeater {
  const running: Promise<void>[] = []
  let isOver = false
  const loop = async (everyMs: number, act: () => unknown): Promise<void> => {
    while (!isOver) {
      await act()
      await sleep(everyMs)
    }
  }
  return {
    repeat: (everyMs, act) => void running.push(loop(everyMs, act)),
    stop() {
      isOver = true
      return Promise.all(running)
    },
  }
}
