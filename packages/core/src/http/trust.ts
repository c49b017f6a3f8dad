import { configError, show } from '../model/errors.js'
import type { Logger } from '../model/logger.js'
import { checkOptions } from '../model/suggest.js'
import { ipRanges } from './cidr.js'
import type { IpAddress } from './ip-address.js'

/** The proxies whose word counts: addresses, CIDR ranges, `loopback`, `private`, `linklocal`; none for `[]`. */
export type Trust = string | readonly string[] | TrustedHops

/** For proxies with changing addresses behind known ones. */
export interface TrustedHops {
  /** How many proxies a request passes, the nearest included: 1 to 64. */
  readonly hops: number
  /** Addresses of the nearest, from which alone the header is believed. */
  readonly peers: string | readonly string[]
}

/** Whether the hop with an address is trusted. Hop 0 is the transport's peer, 1 the entry that it wrote, and so on. */
export type Trusts = (address: IpAddress, hop: number) => boolean

/** The most entries of a header that are looked at. */
export const MAX_HOPS = 64

/**
 * The test that a `trust` option stands for. An entry for all addresses is accepted with a warning.
 * @throws RateLimitError `RL_CONFIG` for anything else, `true` and bare numbers included.
 */
export function toTrust(trust: unknown, logger: Logger): Trusts {
  if (typeof trust === 'string' || Array.isArray(trust)) return rangesOf(trust, 'trust', logger)
  if (typeof trust === 'object' && trust !== null) return hopsOf(trust as TrustedHops, logger)
  throw configError('trust', trust, adviceOn(trust))
}

function hopsOf(trust: TrustedHops, logger: Logger): Trusts {
  checkOptions('trust', trust, ['hops', 'peers'])
  const { hops, peers } = trust
  if (!Number.isInteger(hops) || hops < 1 || hops > MAX_HOPS) {
    throw configError('trust.hops', hops, `must be a whole number from 1 to ${MAX_HOPS}`)
  }
  const isPeer = rangesOf(peers, 'trust.peers', logger)
  return (address, hop) => (hop === 0 ? isPeer(address, hop) : hop < hops)
}

function rangesOf(list: unknown, option: string, logger: Logger): Trusts {
  const { matches, boundless } = ipRanges(list, option)
  if (boundless.length > 0) {
    logger.warn(
      `${option}: ${boundless.map((range) => show(range)).join(' and ')} trusts every address of its kind, ` +
        'so whoever reaches this app can write its own client address. Name the addresses of your proxies.',
    )
  }
  return matches
}

function adviceOn(trust: unknown): string {
  if (trust === true) {
    return 'can’t be true: anyone can write the header. Name the addresses of your proxies: trust: ["10.0.0.0/8"]'
  }
  if (typeof trust === 'number') {
    return (
      'can’t be a number alone: a count does not tell a proxy from a client that connects directly. ' +
      'Name the nearest proxies too: trust: { hops: 1, peers: ["10.0.0.0/8"] }'
    )
  }
  return 'takes addresses and ranges, such as ["10.0.0.0/8"], or { hops, peers }; leave it out to trust nobody'
}
