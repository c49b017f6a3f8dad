import { connectRedis } from '@rl/core/ioredis'
import { EXAMPLES, seed } from '../users/seed.js'

/** Writes the users of the README into the Redis of a cluster. */
export async function seedExamples(port: number): Promise<void> {
  const client = connectRedis(`redis://127.0.0.1:${port}`)
  try {
    await new Promise((resolve) => client.once('ready', resolve).once('close', resolve))
    for (const user of EXAMPLES) await seed(client, user)
  } finally {
    client.disconnect()
  }
}
