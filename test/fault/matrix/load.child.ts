// The process whose decisions a row of the matrix looks at. It does what its parent tells it; see `load.ts`.
import dns from 'node:dns'
import { measureLoopDelay } from '../../support/loop-delay.js'
import { waitUntil } from '../../support/wait-until.js'
import { Decider, type Phase } from './decider.js'
import type { LoadInput, Order, Report, Word } from './load.js'

const EVERY_MS = 10
/** In a row: then the store is taken to be back for good. */
const BACK = 50

const { limiters, fromStart }: LoadInput = JSON.parse(process.argv[2] ?? '')
let unhandled = 0
for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
  process.on(event, (error) => {
    unhandled++
    console.error(error)
  })
}

const deciders = limiters.map(({ name, standIn, place }) => new Decider(name, standIn, place))
let phase: Phase = 'before'
let healedAt = 0
let load: NodeJS.Timeout | undefined
let stopped = (): void => {}

process.on('message', (order: Order) => void obey(order))
if (!fromStart) {
  const what = 'the clients are connected'
  await waitUntil(() => deciders.every(({ isReady }) => isReady), { what, timeoutMs: 15_000 })
}
say({ type: 'ready' })
const { maxDelayMs } = await measureLoopDelay(
  () =>
    new Promise<void>((resolve) => {
      stopped = resolve
    }),
)

async function obey(order: Order): Promise<void> {
  if (order === 'finish' || order === 'leave') return end(order)
  phase = order
  load ??= setInterval(() => {
    for (const decider of deciders) decider.decide(phase)
  }, EVERY_MS)
  if (order === 'after') await comeBack()
}

async function comeBack(): Promise<void> {
  healedAt = performance.now()
  // The name has an address from now on.
  dns.lookup = resolved as typeof dns.lookup
  const isBack = ({ storedInARow, backAt }: Decider) => backAt !== undefined && storedInARow >= BACK
  const what = 'the store decides again'
  const ended = await waitUntil(() => deciders.every(isBack), { what, timeoutMs: 20_000 }).catch(() => false)
  say({ type: 'back', isBack: ended })
}

function resolved(
  _name: string,
  options: dns.LookupOptions,
  callback: (error: null, address: string | dns.LookupAddress[], family?: number) => void,
): void {
  const address = { address: '127.0.0.1', family: 4 }
  if (options.all) callback(null, [address])
  else callback(null, address.address, address.family)
}

async function end(how: 'finish' | 'leave'): Promise<void> {
  clearInterval(load)
  const isSettled = () => deciders.every(({ started, settled }) => started === settled)
  await waitUntil(isSettled, { what: 'all is decided', timeoutMs: 10_000 }).catch(() => {})
  stopped()
  // The histogram is read a few milliseconds later.
  await new Promise((resolve) => setTimeout(resolve, 20))
  const reports = await Promise.all(deciders.map((decider) => reportOf(decider, how)))
  for (const decider of deciders) await decider.close()
  say({ type: 'report', report: { deciders: reports, maxDelayMs, unhandled } }, () => process.disconnect())
}

async function reportOf(decider: Decider, how: 'finish' | 'leave'): Promise<Report['deciders'][number]> {
  const { tallies, lines, started, settled, dishonest, backAt } = decider
  const what = 'the store tells its count'
  const counter =
    how === 'leave' ? undefined : await waitUntil(() => decider.used(), { what }).catch(() => undefined)
  const backMs = backAt === undefined ? undefined : backAt - healedAt
  return { tallies, lines, unsettled: started - settled, dishonest, counter, backMs }
}

function say(word: Word, sent: () => void = () => {}): void {
  process.send?.(word, undefined, undefined, sent)
}
