import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { freePort } from './free-port.js'

/** A listener that can stop and start again on one port. */
export interface ProxyDoor {
  readonly port: number
  /** Refuses new connections; open ones stay. */
  refuse(): void
  /** Accepts new connections again. */
  listen(): Promise<void>
}

const maxTries = 10

/** Listens on a port of the loopback address: the wanted one, or a free one that nobody took meanwhile. */
export async function openDoor(
  wanted: number | undefined,
  accept: (client: Socket) => void,
): Promise<ProxyDoor> {
  for (let attempt = 1; ; attempt++) {
    const port = wanted ?? (await freePort())
    try {
      return doorOf(port, await listenOn(port, accept), accept)
    } catch (error) {
      if (wanted !== undefined || attempt === maxTries) throw error
    }
  }
}

function doorOf(port: number, first: Server, accept: (client: Socket) => void): ProxyDoor {
  let listener: Server | undefined = first
  return {
    port,
    refuse() {
      listener?.close()
      listener = undefined
    },
    async listen() {
      listener ??= await listenOn(port, accept)
    },
  }
}

async function listenOn(port: number, accept: (client: Socket) => void): Promise<Server> {
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, accept)
  // Like every server of a test: it must not keep the process alive.
  listener.listen(port, '127.0.0.1').unref()
  await once(listener, 'listening')
  return listener
}
