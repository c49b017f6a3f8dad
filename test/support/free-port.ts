import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

// Below the ranges that systems hand out for outgoing connections, so that a port stays ours while its server
// is down for a moment. A Redis Cluster node also takes port + 10000, which lies outside this span.
const firstPort = 12_000
const portsInSpan = 10_000
const maxTries = 100

/**
 * Finds a TCP port of the loopback address that nobody listens on, in 12000..21999.
 *
 * It is free at this moment only: whoever starts a server on it must be ready to try again with another.
 *
 * @throws Error when a hundred random ports were all taken.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < maxTries; attempt++) {
    const port = firstPort + randomInt(portsInSpan)
    if (await isFree(port)) return port
  }
  throw new Error(`No free TCP port among ${maxTries} random ones from ${firstPort} up`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
