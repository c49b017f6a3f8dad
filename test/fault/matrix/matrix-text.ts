import { DEADLINE_MS } from './expect-outcome.js'
import type { Outcome } from './run-fault.js'

/** The matrix as Markdown. Counts are rounded up in steps, so that a run on another day gives the same. */
export function matrixText(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(cellsOf)
  const widths = COLUMNS.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`
  const rule = widths.map((width) => '-'.repeat(width))
  return `${HEAD}${[COLUMNS, rule, ...rows].map(line).join('\n')}\n`
}

const HEAD = `# What each fault of Redis does to decisions

Written by \`test/fault/matrix.deep.ts\` (\`npm run test:deep -- test/fault/matrix.deep.ts\`), which holds each row to what it
says here. Real servers and wires: a process with three limiters, one each with \`onStoreFailure\` \`'local'\`, \`'open'\` and
\`'closed'\`, decides a hundred times a second for each of them; the fault is made, lasts for five seconds, and ends. Each has a
\`redisStore\` with the default deadline of ${DEADLINE_MS} ms and a client of \`connectRedis\` of its own. A row is what the worst of the
three did.

In every row: no decision took longer than the deadline, the longest stall of the event loop in that process, and 20 ms. No
promise stayed unsettled, no rejection unhandled. \`'local'\` gave its own numbers, \`'open'\` and \`'closed'\` none. The log had at
most one line of a kind in five seconds. A process that closed everything while the fault lasted ended by itself, and so did
the one that lived through it. Nothing had to be started again.

- _longest_, _waited_: the longest decision, and how many waited for the deadline, of some five hundred. On a full machine
  a decision may wait also where Redis is well
- _connections_, _calls_: what one limiter tried and sent in the five seconds; a decision is one call, a probe too
- _back_: from the end of the fault to the first decision of the store, at most
- _counter_: what the store had counted in the end, against what its answers allowed. "Equal" is but for the few calls that
  were on their way when the fault came. A decision that timed out may have been charged before its deadline, once, never
  after it; "+ unanswered" is where the fault makes just that happen: never more than the calls without an answer

`

const COLUMNS =
  'fault, made by; ended by, decided by, longest, waited, connections, calls, back, counter'.split(', ')

function cellsOf({ fault, sent }: Outcome): readonly string[] {
  const { name, made, decidedBy, waits, losesCounts, runsUnanswered, backWithinMs = 1500 } = fault
  return [
    name,
    made,
    { 'stand-in': 'stand-in', store: 'store', both: 'store; stand-in while it connects again' }[decidedBy],
    { always: 'the deadline', perhaps: 'the deadline, or less', never: 'less' }[waits ?? 'never'],
    waits === undefined ? '0' : '≤ 15',
    atMost(sent.connections, [5, 12, 25, 100]),
    atMost(sent.scriptCalls, [5, 30, 100, 600, 1200]),
    `${backWithinMs / 1000} s`,
    `${runsUnanswered ? '+ unanswered' : 'equal'}${losesCounts ? ', from nothing' : ''}`,
  ]
}

function atMost(count: number, steps: readonly number[]): string {
  return `≤ ${steps.find((step) => count <= step) ?? count}`
}
