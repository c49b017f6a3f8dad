import { waitUntil } from '../support/wait-until.js'
import { clientOf, type Meter, PROMPT_TOKENS, QUESTION, type Setup } from './llm-gateway.js'

/** How a run goes. */
export interface RunOptions {
  readonly user: string
  readonly requests: number
  readonly concurrency: number
  /** Of the random choices. */
  readonly seed: number
  /** Told now and then. */
  readonly onStep?: () => void
}

/** What the counters of the user must have gained. */
export interface Run {
  readonly expected: Awaited<ReturnType<Meter['read']>>
  /** How many requests went which way. */
  readonly outcomes: Readonly<Record<string, number>>
}

/** What can happen to a request: with what fault, streamed or not, left by the client or not, and what it takes then. */
const CASES = [
  { what: 'whole', fault: 'none', stream: false },
  { what: 'stream', fault: 'none', stream: true },
  { what: 'over', fault: 'over', stream: true },
  { what: 'silent', fault: 'silent', stream: true },
  { what: 'failed', fault: '500', stream: false },
  { what: 'failed', fault: 'drop', stream: true },
  { what: 'failed', fault: 'cut', stream: false },
  { what: 'failover', fault: '500', stream: false, at: 'a' },
  { what: 'failover', fault: 'drop', stream: true, at: 'b' },
  { what: 'cut', fault: 'cut', stream: true },
  { what: 'left', fault: 'stall', stream: true },
] as const

/** Sends requests of every kind, and counts what they must have cost by what the client and the fault say, not the gateway. */
export async function countRun(
  setup: Setup,
  { user, requests, concurrency, seed }: RunOptions,
): Promise<Run> {
  const clients = setup.gateways.map((gateway) => clientOf(gateway, user))
  const random = randomOf(seed)
  const outcomes: Record<string, number> = {}
  const total = { requests: 0, tokens: 0 }
  let sent = 0
  const caller = async () => {
    while (sent < requests) {
      const client = clients[sent++ % clients.length] as (typeof clients)[number]
      const one = CASES[random(CASES.length)] as (typeof CASES)[number]
      const length = 2 * (1 + random(20))
      const tokens = await send(client, one, length)
      outcomes[one.what] = (outcomes[one.what] ?? 0) + 1
      if (tokens > 0) total.requests++
      total.tokens += tokens
    }
  }
  await Promise.all(Array.from({ length: concurrency }, caller))
  await waitUntil(async () => (await setup.stats()).inFlight === 0, { what: 'nothing is in flight' })
  return { expected: total, outcomes }
}

type Case = (typeof CASES)[number]

/** The tokens that it must have cost. */
async function send(client: ReturnType<typeof clientOf>, one: Case, length: number): Promise<number> {
  const metadata = { fault: one.fault, tokens: String(length), ...('at' in one ? { at: one.at } : {}) }
  const request = { ...QUESTION, metadata, max_tokens: 100 }
  try {
    if (!one.stream) return (await client.chat.completions.create(request)).usage?.total_tokens ?? Number.NaN
    const options = { stream: true, stream_options: { include_usage: true } } as const
    const stream = await client.chat.completions.create({ ...request, ...options })
    return await read(stream, one, length)
  } catch (error) {
    if (one.what === 'failed') return 0
    if (one.what === 'cut') return PROMPT_TOKENS + length / 2
    throw error
  }
}

async function read(
  stream: AsyncIterable<{ readonly usage?: { readonly total_tokens: number } | null }>,
  { what }: Case,
  length: number,
): Promise<number> {
  let seen = 0
  let reported = 0
  for await (const { usage } of stream) {
    reported = usage?.total_tokens ?? reported
    // All that comes has come: what the gateway has passed on is known exactly.
    if (what === 'left' && ++seen === length / 2) return PROMPT_TOKENS + length / 2
  }
  return what === 'silent' ? PROMPT_TOKENS + length : reported
}

/** Numbers below a bound, the same ones for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
