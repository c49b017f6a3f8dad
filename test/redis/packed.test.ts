import { expect, it } from 'vitest'
import { unpackIntegers } from '../../packages/core/src/redis/packed.js'
import { Random } from '../equivalence/random.js'
import { CLIENTS } from '../support/redis-clients.js'
import { useClient, useServer } from '../support/use-redis.js'

const PACK = `
local numbers = {}
for i = 1, #ARGV do numbers[i] = ARGV[i] + 0 end
return cmsgpack.pack(unpack(numbers))`

const server = useServer()
const clients = Object.entries(CLIENTS).map(([name, connect]) => [name, useClient(server, connect)] as const)

it.each(clients)('numbers of every size, as Redis packs them, over %s', async (_, client) => {
  const random = new Random(5)
  const around = Array.from({ length: 53 }, (_, bits) => [2 ** bits - 1, 2 ** bits, 2 ** bits + 1]).flat()
  const numbers = [0, Number.MAX_SAFE_INTEGER, ...around, ...Array.from({ length: 500 }, () => anyOf(random))]
  const both = numbers.flatMap((number) => [number, 0 - number])
  const reply = await client().evalBuffer(PACK, 0, ...both.map(String))
  expect(unpackIntegers(reply)).toEqual(both)
})

function anyOf(random: Random): number {
  return random.int(0, 2 ** random.int(1, 52))
}
