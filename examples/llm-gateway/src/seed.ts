import { parseArgs } from 'node:util'
import { connectRedis } from '@rl/core/ioredis'
import { toRedisUrl } from './flags.js'
import { EXAMPLES, type Seed, seed, toSeed } from './users/seed.js'
import { within } from './within.js'

const USAGE = `usage: node dist/seed.js --redis-addr 127.0.0.1:6379 [--user NAME,API-KEY,REQUESTS-A-MINUTE,TOKENS-A-MINUTE]…

Writes users into Redis, over those that are there; without --user the examples ann (key sk-ann) and bob (key sk-bob).
`

interface SeedFlags {
  readonly redis: string
  readonly users: readonly Seed[]
}

if (process.argv.includes('--help')) {
  console.log(USAGE.trimEnd())
  process.exit(0)
}
const { redis, users } = flagsOrExit()
const client = connectRedis(redis)
try {
  await connected()
  for (const user of users) {
    await seed(client, user)
    console.log(`seed: ${user.id} has ${user.rpm} requests and ${user.tpm} tokens a minute`)
  }
} catch (error) {
  console.error(`seed: ${(error as Error).message}`)
  process.exitCode = 1
} finally {
  client.disconnect()
}

async function connected(): Promise<void> {
  const ready = new Promise<boolean>((resolve) => {
    client.once('ready', () => resolve(true)).once('close', () => resolve(false))
  })
  if (await within(5000, ready).catch(() => false)) return
  throw new Error(`can't reach Redis at ${redis}; is it running?`)
}

function flagsOrExit(): SeedFlags {
  try {
    return readFlags()
  } catch (error) {
    console.error(`seed: ${(error as Error).message}\n\n${USAGE}`)
    return process.exit(2)
  }
}

function readFlags(): SeedFlags {
  const { values } = parseArgs({
    options: { 'redis-addr': { type: 'string' }, user: { type: 'string', multiple: true } },
  })
  const { user = [], 'redis-addr': address = '' } = values
  return { redis: toRedisUrl(address), users: user.length === 0 ? EXAMPLES : user.map(toSeed) }
}
