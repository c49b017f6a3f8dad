import { faultsIn } from '../fault.js'

/** Faults in what stands between the steps and the caller. */
export const storeFaults = [
  ...faultsIn('memory/tally.ts', [
    ['cost === 0 && !wentBack', 'cost === 0', 'a refusal does not keep the repair'],
    ['cost === 0 && !wentBack', 'cost === 0 && !wentBack && !allowed', 'a cost of 0 is written'],
    [
      'const cost = allowed ? costOf(costs, policy) : 0',
      'const cost = costOf(costs, policy)',
      'a refusal charges',
    ],
    ['allowed ? costOf(costs, rule.policy) : 0', 'costOf(costs, rule.policy)', 'a refusal tells of a charge'],
    ['if (entry.wait > 0) admitted = false', 'admitted = entry.wait === 0', 'only the last policy decides'],
    ['cost === 0 ? 0 : step', 'cost < 0 ? 0 : step', 'a policy with cost 0 refuses'],
    ['for (const entry of this.#entries) entry.wait = 0', '', 'what is forced is told as refused'],
  ]),
  ...faultsIn('algorithms/result.ts', [
    ['remaining < limit ?', 'remaining <= limit ?', 'a full limit waits for one more'],
    ['limit === 0 ? null : 0', '0', 'one more is promised of a limit of 0'],
    ['wait === NEVER ? null : wait', 'wait', 'never is told as a wait'],
  ]),
  ...faultsIn('memory/single.ts', [
    ["asked === 0 || mode === 'force' ? 0", "mode === 'force' ? 0", 'a single policy with cost 0 refuses'],
    ["asked === 0 || mode === 'force' ? 0", 'asked === 0 ? 0', 'a single policy is not forced'],
    ["mode !== 'peek' && (", '(', 'a peek at a single policy charges'],
    ['wentBack || cost > 0', 'cost > 0', 'a single refusal does not keep the repair'],
    ['wait === 0 ? asked : 0', 'asked', 'a single refusal charges'],
    ['wentBack || cost > 0', 'true', 'a single cost of 0 is written'],
  ]),
  ...faultsIn('memory/table.ts', [
    ['step.advance(policy, row, now)', '', 'a settle does not look at the time'],
    [
      'policy, row, at, -more',
      'policy, row, now, -more',
      'a settle gives back where it is, not where it was',
    ],
    ['if (more > 0) step.take', 'if (more < 0) step.take', 'a settle has the wrong sign'],
    ['      column.save(slot, row)\n', '', 'a settle is not kept'],
    ['if (more === 0 || slot', 'if (more <= 0 || slot', 'nothing is ever given back'],
  ]),
  ...faultsIn('memory/many.ts', [
    ["|| mode === 'force'", '', 'what is forced is asked for'],
    ["if (mode !== 'peek') tally.write", 'tally.write', 'a peek charges'],
  ]),
  ...faultsIn('memory/memory-store.ts', [
    ["mode !== 'peek' && results", 'results', 'a peek gives a receipt'],
    ['results.every', 'results.some', 'a refusal of one of several gives a receipt'],
    ['if (!this.#settled.mark(`', 'if (this.#settled.mark(`', 'only the second settle counts'],
    [
      'charge, costs, now, receipt.at',
      'charge, costs, receipt.at, receipt.at',
      'a settle turns the clock back',
    ],
  ]),
  ...faultsIn('memory/column.ts', [
    ['if (this.#logs[slot] !== undefined) this.#logs[slot] = undefined', '', 'a reset keeps the log'],
    ['    rows[at] = row.a\n', '', 'times are not kept'],
  ]),
  ...faultsIn('memory/key-slots.ts', [
    [
      'if (slot === undefined) return\n    this.#lastKey = undefined\n',
      'if (slot === undefined) return\n',
      'a key that was dropped is still found',
    ],
  ]),
  ...faultsIn('model/decision.ts', [
    ['callsLeft(a) < callsLeft(b)', 'callsLeft(a) <= callsLeft(b)', 'on ties the last one speaks'],
    ['waitOf(a) > waitOf(b)', 'waitOf(a) < waitOf(b)', 'the shortest wait speaks'],
    ['Math.floor(remaining / Math.max(1, cost))', 'remaining', 'what remains is not seen in calls'],
  ]),
  ...faultsIn('model/policy.ts', [
    [
      'Math.ceil((policy.limit * policy.windowMs)',
      'Math.floor((policy.limit * policy.windowMs)',
      'a bucket fills 1 ms early',
    ],
  ]),
  ...faultsIn('model/limit.ts', [
    ['policy.windowMs}`', '0}`', 'a changed window keeps the counts'],
    ['policy.kind}|', 'policy.kind + policy.limit}|', 'a changed limit forgets the counts'],
  ]),
]
