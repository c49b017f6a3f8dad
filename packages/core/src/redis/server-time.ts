/** Clocks are taken to drift apart by no more than 1 ms a second: twice what NTP slews by. */
const DRIFT = 0.001

/** Server time is cut to whole milliseconds. */
const GRAIN_MS = 2

/** Until the server's clock is known: a span that is over, so that nothing is charged and the reply tells the time. */
const UNKNOWN = { notBefore: 0, notAfter: 0 }

/** In server time: when a script may charge. */
export interface Span {
  readonly notBefore: number
  readonly notAfter: number
}

interface Known {
  offset: number
  at: number
}

/**
 * What is known of the server's clock. A reply's time minus the local time of its receipt is a lower bound of the true
 * offset, as the reply took its time. So a call that is still on its way when its deadline ends is refused by the script,
 * never charged late. The lower bound also gives an earliest time: a server that is before it had its clock set back.
 * Every node of a cluster has a clock of its own; one not heard of yet is not taken to be like another.
 */
export class ServerTime {
  readonly #known = new Map<string | number, Known>()

  /** The span for a call to `node` sent at `now`, of which nobody waits after `until`. Local times. */
  spanOf(node: string | number, now: number, until: number): Span {
    const known = this.#known.get(node)
    if (known === undefined) return UNKNOWN
    const offset = known.offset - DRIFT * (now - known.at)
    return { notBefore: Math.floor(offset + now) - GRAIN_MS, notAfter: Math.floor(offset + until) }
  }

  /** A reply came at local `now`. `refused`: what was known did not hold, so it is forgotten. */
  learn(node: string | number, serverNow: number, now: number, refused: boolean): void {
    const offset = serverNow - now
    const known = this.#known.get(node)
    if (known === undefined) {
      this.#known.set(node, { offset, at: now })
    } else if (refused || offset >= known.offset - DRIFT * (now - known.at)) {
      known.offset = offset
      known.at = now
    }
  }
}
