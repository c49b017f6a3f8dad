import type { DecisionEvent, RateLimitEvent } from './event.js'

/** A place where events are told to whoever in this process listens. */
export interface Channel<T> {
  /** False: nobody would hear an event, so it need not be made. */
  readonly hasSubscribers: boolean
  publish(event: T): void
}

/** Every decision of a limiter: `rl:decision` of `node:diagnostics_channel`. */
export const decisionChannel: Channel<DecisionEvent> = channelOf('rl:decision')

/** What `onEvent` hears, of all limiters and stores: `rl:store`. */
export const storeChannel: Channel<RateLimitEvent> = channelOf('rl:store')

/** Asked for by name, and not imported: a runtime without that module has channels that nobody hears. */
function channelOf<T>(name: string): Channel<T> {
  const { process } = globalThis as { readonly process?: ProcessOfNode | undefined }
  try {
    const found = process?.getBuiltinModule?.('node:diagnostics_channel')?.channel?.(name)
    if (found !== undefined) return found
  } catch {
    // A stand-in for Node's process may throw where it has nothing to give.
  }
  return { hasSubscribers: false, publish: () => {} }
}

interface ProcessOfNode {
  getBuiltinModule?(
    id: string,
  ): { readonly channel?: (name: string) => Channel<unknown> | undefined } | undefined
}
