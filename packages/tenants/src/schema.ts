import * as z from 'zod'
import { at, fault, quoted } from './fault.js'

/** Names reach header fields, logs and metric labels, so they are held to characters that are safe in all of them. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9 _.:-]{0,63}$/
const nameAdvice = 'is 1 to 64 of A-Z a-z 0-9 space _ . : - and begins with a letter or digit'

type Members = Readonly<Record<string, unknown>>

const name = z.string().regex(NAME, { error: nameAdvice })
// Not z.record, which copies: of a hundred thousand tenants that takes long, and requests wait for it.
const members = z.custom<Members>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  { error: 'expected an object with a member for each name' },
)

// Visible ASCII: what a header carries unchanged.
const key = z.string().regex(/^[!-~]{1,512}$/, {
  error:
    'must be 1 to 512 visible ASCII characters without spaces, or sha256: and 64 hex digits; ' +
    'make a hash with printf %s "$KEY" | sha256sum',
})

const hasNo = (known: string) => (issue: { readonly code?: string | undefined }) =>
  issue.code === 'unrecognized_keys' ? `has a member that does not exist; they are ${known}` : undefined

export interface DocumentForm {
  readonly default: string
  readonly plans: Members
  readonly tenants?: Members | undefined
}

export interface PlanForm {
  readonly limit?: unknown
  readonly profiles?: Members | undefined
}

export interface TenantForm {
  readonly plan: string
  readonly name?: string | undefined
  readonly keys?: readonly string[] | undefined
}

// What stands in a record is checked entry by entry: a file of junk gets one answer, not one for each entry.
const documentSchema: z.ZodType<DocumentForm> = z.strictObject(
  { default: name, plans: members, tenants: members.optional() },
  { error: hasNo('default, plans and tenants') },
)
const planSchema: z.ZodType<PlanForm> = z.strictObject(
  { limit: z.unknown().optional(), profiles: members.optional() },
  { error: hasNo('limit and profiles') },
)
const tenantSchema: z.ZodType<TenantForm> = z.strictObject(
  { plan: name, name: name.optional(), keys: z.array(key).max(1000).optional() },
  { error: hasNo('plan, name and keys') },
)

export function toDocument(value: unknown): DocumentForm {
  return checked(documentSchema, value, '')
}

export function toPlan(value: unknown, path: string): PlanForm {
  return checked(planSchema, value, path)
}

export function toTenant(value: unknown, path: string): TenantForm {
  return checked(tenantSchema, value, path)
}

/** @throws RateLimitError `RL_CONFIG` for a name that is none. */
export function checkName(given: string, path: string): void {
  if (!NAME.test(given)) throw fault(path, nameAdvice)
}

function checked<T>(schema: z.ZodType<T>, value: unknown, path: string): T {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const { issues } = result.error
  // A misspelt member is missing too, which tells less.
  const issue = (issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]) as z.core.$ZodIssue
  const place = issue.path.reduce<string>(at, path)
  // The name of such a member tells the fault; its value, like any other, is left out.
  if (issue.code === 'unrecognized_keys') {
    throw fault(
      place,
      `${issue.message}; got ${issue.keys
        .slice(0, 3)
        .map((name) => quoted(name))
        .join(', ')}`,
    )
  }
  const missing = issue.path.length === 1 ? missingAdvice(value, String(issue.path[0])) : undefined
  if (missing !== undefined) throw fault(place, `is missing; ${missing}`)
  throw fault(place, issue.message.replace(/^Invalid input: /, ''))
}

/** What must be there, and how to write it. */
const NEEDED: ReadonlyMap<string, string> = new Map([
  ['default', 'it names the plan of all who are no tenant: "default": "free"'],
  ['plans', 'it has a limit for each plan: "plans": { "free": { "limit": "60/1m" } }'],
  ['plan', 'it names one of the plans: "plan": "free"'],
])

function missingAdvice(value: unknown, member: string): string | undefined {
  const isThere = typeof value !== 'object' || value === null || Object.hasOwn(value, member)
  return isThere ? undefined : NEEDED.get(member)
}
