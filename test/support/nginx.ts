import { nginx } from '../../examples/check-service/src/cluster/nginx.js'
import { ensureProgram, startPart } from '../../examples/cluster/src/index.js'
import { freePort } from './free-port.js'
import { guard, scratchDir, unguard } from './guardian.js'

/** A real nginx of this test, on the loopback address. */
export interface Nginx {
  readonly port: number
  readonly url: string
  /** Ends it. May be called twice. */
  stop(): Promise<void>
}

const maxStarts = 10

/**
 * Starts Debian's nginx on a free port in front of nodes of the check service, which must answer already. Brings it with
 * apt-get where it is missing. It dies with this process, however that ends.
 *
 * @throws Error that says what to install, or with the end of what nginx said.
 */
export async function startNginx(nodePorts: readonly number[]): Promise<Nginx> {
  ensureProgram('nginx')
  for (let start = 1; ; start++) {
    const port = await freePort()
    const child = startPart(nginx({ dir: scratchDir('nginx'), port, nodePorts }))
    // The group: its workers would outlive a master that is killed.
    guard(-child.pid)
    void child.ended.then(() => unguard(-child.pid))
    try {
      await child.ready
      return { port, url: `http://127.0.0.1:${port}`, stop: () => child.stop() }
    } catch (error) {
      await child.stop()
      // The port was free a moment ago: another one took it meanwhile.
      if (start === maxStarts || !isPortTaken(error)) throw error
    }
  }
}

function isPortTaken(error: unknown): boolean {
  return error instanceof Error && /Address already in use/.test(error.message)
}
