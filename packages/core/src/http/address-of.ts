import type { ClientAddress } from './client-address.js'

/** On key functions, under a symbol that every copy of this package shares: the resolver that they go by. */
const ADDRESS = Symbol.for('@rl/core.address')

interface Carrier {
  [ADDRESS]?: ClientAddress
}

/** Says by which resolver a key function goes. */
export function goesBy<T extends object>(key: T, address: ClientAddress | undefined): T {
  if (address !== undefined) (key as Carrier)[ADDRESS] = address
  return key
}

/** The resolver of `byIp(…)`, or of the first one in `firstOf(…)` and `compose(…)`; none of any other function. */
export function addressOf(key: unknown): ClientAddress | undefined {
  return typeof key === 'function' ? (key as Carrier)[ADDRESS] : undefined
}

/** The first resolver among several key functions. */
export function firstAddressOf(keys: readonly unknown[]): ClientAddress | undefined {
  return keys.map(addressOf).find((address) => address !== undefined)
}
