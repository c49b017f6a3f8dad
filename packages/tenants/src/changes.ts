import { listed } from './fault.js'
import type { Member, Plan } from './member.js'
import type { Snapshot } from './snapshot.js'

/** What is different in words, without a key; empty when nothing is. */
export function changesOf(before: Snapshot, after: Snapshot): string {
  const plan = (name: string) => `default plan ${name}`
  const [was, is] = [before.nobody.plan.name, after.nobody.plan.name]
  return [
    was === is ? [] : [`${plan(was)} → ${is}`],
    parts('plan', before.plans, after.plans, planChange),
    parts('tenant', before.tenants, after.tenants, tenantChange),
  ]
    .flat()
    .join('; ')
}

type Change<T> = (before: T, after: T) => string | undefined

function parts<T>(
  what: string,
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  change: Change<T>,
): string[] {
  const added: string[] = []
  const changed: string[] = []
  for (const [name, now] of after) {
    const then = before.get(name)
    if (then === undefined) added.push(name)
    else {
      const how = change(then, now)
      if (how !== undefined) changed.push(how === '' ? name : `${name} (${how})`)
    }
  }
  const removed = [...before.keys()].filter((name) => !after.has(name))
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
