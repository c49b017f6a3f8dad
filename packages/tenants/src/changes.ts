import type { Breath } from './breath.js'
import { listed } from './fault.js'
import type { Member, Plan } from './member.js'
import type { Snapshot } from './snapshot.js'

/** What is different in words, without a key; empty when nothing is. */
export async function changesOf(before: Snapshot, after: Snapshot, breath: Breath): Promise<string> {
  const plan = (name: string) => `default plan ${name}`
  const [was, is] = [before.nobody.plan.name, after.nobody.plan.name]
  return [
    was === is ? [] : [`${plan(was)} → ${is}`],
    await parts('plan', [before.plans, after.plans], planChange, breath),
    await parts('tenant', [before.tenants, after.tenants], tenantChange, breath),
  ]
    .flat()
    .join('; ')
}

type Change<T> = (before: T, after: T) => string | undefined

async function parts<T>(
  what: string,
  [before, after]: readonly [ReadonlyMap<string, T>, ReadonlyMap<string, T>],
  change: Change<T>,
  breath: Breath,
): Promise<string[]> {
  const added: string[] = []
  const changed: string[] = []
  const removed: string[] = []
  for (const [name, now] of after) {
    if (breath.isDue()) await breath.rest()
    const then = before.get(name)
    if (then === undefined) added.push(name)
    else {
      const how = change(then, now)
      if (how !== undefined) changed.push(how === '' ? name : `${name} (${how})`)
    }
  }
  for (const name of before.keys()) {
    if (breath.isDue()) await breath.rest()
    if (!after.has(name)) removed.push(name)
  }
  const told = { added, changed, removed }
  return Object.entries(told).flatMap(([how, names]) =>
    names.length === 0
      ? []
      : [`${names.length} ${what}${names.length > 1 ? 's' : ''} ${how}: ${listed(names)}`],
  )
}

function planChange(before: Plan, after: Plan): string | undefined {
  return signature(before) === signature(after) ? undefined : ''
}

function signature({ limit, profiles }: Plan): string {
  return JSON.stringify([limit, [...profiles].sort(([a], [b]) => (a < b ? -1 : 1))])
}

function tenantChange(before: Member, after: Member): string | undefined {
  const parts = [
    before.plan.name === after.plan.name ? [] : [`plan ${before.plan.name} → ${after.plan.name}`],
    before.name === after.name ? [] : ['name'],
    sameKeys(before.keys, after.keys) ? [] : ['keys'],
  ].flat()
  return parts.length === 0 ? undefined : parts.join(', ')
}

function sameKeys(before: readonly string[], after: readonly string[]): boolean {
  return before.length === after.length && after.every((key, i) => key === before[i])
}
