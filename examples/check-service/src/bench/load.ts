import { Pool } from 'undici'

export interface LoadOptions {
  /** Scheme, host and port. */
  readonly origin: string
  readonly requests: number
  /** Requests under way at any time. */
  readonly concurrency: number
  /** Path and query of the request with this number. */
  readonly pathFor: (index: number) => string
  /** Told of the number of answers now and then. */
  readonly onProgress?: (done: number) => void
}

export interface LoadResult {
  readonly elapsedMs: number
  /** Milliseconds from the sending of each request to the end of its answer, sorted. */
  readonly latencies: Float64Array
  /** How many answers there were of each kind: `'200'`, `'429 local'` when Redis did not decide, `'no answer'`. */
  readonly answers: ReadonlyMap<string, number>
}

/** Sends the requests over connections that are kept open, always so many under way. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const { origin, requests, concurrency, pathFor, onProgress = () => {} } = options
  const pool = new Pool(origin, { connections: concurrency, pipelining: 1 })
  const latencies = new Float64Array(requests)
  const answers = new Map<string, number>()
  let sent = 0
  let done = 0
  const sendOnAndOn = async () => {
    while (sent < requests) {
      const path = pathFor(sent++)
      const start = performance.now()
      const answer = await get(pool, path)
      latencies[done++] = performance.now() - start
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
      if (done % 100 === 0) onProgress(done)
    }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: Math.min(concurrency, requests) }, sendOnAndOn))
  const elapsedMs = performance.now() - start
  onProgress(done)
  await pool.close()
  return { elapsedMs, latencies: latencies.sort(), answers }
}

async function get(pool: Pool, path: string): Promise<string> {
  try {
    const { statusCode, headers, body } = await pool.request({ path, method: 'GET' })
    await body.dump()
    return headers['x-ratelimit-source'] === 'local' ? `${statusCode} local` : String(statusCode)
  } catch {
    return 'no answer'
  }
}
