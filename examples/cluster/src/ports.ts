import { createServer } from 'node:net'

/**
 * Reads a port of a flag; not 6379, which may be a Redis that somebody uses.
 * @throws Error whose message names the flag, what was given and what it takes.
 */
export function toPort(flag: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port >= 1 && port <= 65_535 && port !== 6379) return port
  throw new Error(`${flag} takes ports from 1 to 65535, and not 6379; got "${text}"`)
}

/** Where the parts of a cluster listen, by the flag that chooses it. */
export type PortFlags = Readonly<Record<string, readonly number[]>>

/** @throws Error when two parts would listen on the same port. */
export function checkDistinct(flags: PortFlags): void {
  const ports = Object.values(flags).flat()
  if (new Set(ports).size < ports.length) throw new Error('two of the ports are the same')
}

/** @throws Error that names the port that another program has, and the flag that chooses another. */
export async function checkFree(flags: PortFlags): Promise<void> {
  for (const [flag, ports] of Object.entries(flags)) {
    for (const port of ports) {
      if (await isFree(port)) continue
      throw new Error(`port ${port} is taken: end what listens there, or choose another by ${flag}`)
    }
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
