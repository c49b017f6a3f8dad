import { expect } from 'vitest'
import type { RedisServer } from '../support/redis-server.js'

/** Charges until a key has an expiry. Each has one chance in 32: that so many have none does not happen. */
export async function expiresWithin(
  charges: number,
  server: RedisServer,
  key: string,
  charge: () => unknown,
): Promise<void> {
  const expires = async () => Number(await server.command('PTTL', key)) > 0
  for (let i = 0; i < charges; i++) {
    if (await expires()) return
    await charge()
  }
  expect(await expires()).toBe(true)
}
