import { UpstreamFailed } from './upstream-failed.js'
import type { Upstream, Upstreams } from './upstreams.js'

/** What one of the model servers gave. */
export interface Tried<T> {
  readonly value: T
  readonly upstream: Upstream
  /** To be called when the request is over. */
  readonly release: () => void
}

/** Asks one model server after the other, each once, until one does not fail. @throws UpstreamFailed of the last */
export async function tryEach<T>(
  upstreams: Upstreams,
  attempt: (upstream: Upstream) => Promise<T>,
): Promise<Tried<T>> {
  const tried = new Set<Upstream>()
  let last: unknown
  for (;;) {
    const upstream = upstreams.choose(tried)
    if (upstream === undefined) throw last
    tried.add(upstream)
    const release = upstreams.begin(upstream)
    try {
      return { value: await attempt(upstream), upstream, release }
    } catch (error) {
      release()
      if (!(error instanceof UpstreamFailed)) throw error
      upstreams.rest(upstream)
      last = error
    }
  }
}
