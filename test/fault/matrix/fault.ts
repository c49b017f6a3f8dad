/** The ways in which a limiter decides without its store. */
export const STAND_INS = ['local', 'open', 'closed'] as const
export type StandIn = (typeof STAND_INS)[number]

/** The limiters of a row: one for each stand-in, and one in a process that leaves while the fault lasts. */
export const LIMITERS = [...STAND_INS, 'leaver'] as const

/** The nodes of a cluster as a client reaches them: through a wire each. */
export interface ClusterPorts {
  readonly nodes: readonly number[]
  /** From the port that a node tells of itself to that of its wire. */
  readonly wires: Readonly<Record<number, number>>
}

/** Where one limiter counts. */
export interface Place {
  readonly target: { readonly host: string; readonly port: number } | ClusterPorts
  readonly prefix: string
  /** The one key that it asks for. */
  readonly key: string
}

/** What is in place for one row: real servers, with a wire to them for each limiter. */
export interface Stage {
  /** One for each of `LIMITERS`. */
  readonly places: readonly Place[]
  /** Makes the fault; returns when it is there. */
  begin(): Promise<unknown>
  /** Ends it; returns when nothing is in the way any more. */
  end(): Promise<unknown>
  /** What came in over the wires of the stand-ins since the start. */
  sent(): Sent
  stop(): Promise<unknown>
}

export interface Sent {
  readonly connections: number
  readonly scriptCalls: number
}

/** A row of the matrix. */
export interface Fault {
  readonly name: string
  /** The signal, the setting or the action of the proxy that makes it. */
  readonly made: string
  readonly open: () => Promise<Stage>
  /** It is there before the client is. */
  readonly fromStart?: true
  /** Who decides while it lasts. */
  readonly decidedBy: 'stand-in' | 'store' | 'both'
  /** Nothing answers: decisions wait for their deadline until the breaker opens. Perhaps: it is slow to say that it fails. */
  readonly waits?: 'always' | 'perhaps'
  /** What was counted is gone with it. */
  readonly losesCounts?: true
  /**
   * What the counter may be above the answers of the store: nothing, or the calls that a server ran in time and whose
   * answers did not come back in time.
   */
  readonly runsUnanswered?: true
  /** From the end of the fault to the first decision of the store. @default 1500, a probe interval and a second */
  readonly backWithinMs?: number
  /** What one limiter sends in five seconds, at most. @default 12 connections, 30 calls of scripts */
  readonly sends?: Partial<Sent>
}
