import { fault, quoted } from './fault.js'
import type { TenantsOptions } from './types.js'

/** Where a key and a profile stand by default. */
export const HEADER = 'x-api-key'
export const PROFILE_HEADER = 'config-profile'

const TYPES: Readonly<Record<keyof TenantsOptions, string>> = {
  header: 'header name',
  profileHeader: 'header name',
  tenant: 'function',
  fallback: 'function',
  watch: 'boolean',
  sighup: 'boolean',
  maxBytes: 'number',
  logger: 'object',
}

/** Checks what TypeScript can't, for JavaScript's sake. @throws RateLimitError `RL_CONFIG` */
export function checkTenantsOptions(file: unknown, options: unknown): void {
  if (typeof file !== 'string' || file === '') throw fault('loadTenants', 'takes the path of a JSON file')
  if (typeof options !== 'object' || options === null)
    throw fault('loadTenants', 'takes an object of options')
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(TYPES, name)) {
      throw fault(
        'loadTenants',
        `there is no option ${quoted(name)}; it takes ${Object.keys(TYPES).join(', ')}`,
      )
    }
    const type = TYPES[name as keyof TenantsOptions]
    if (value !== undefined && !fits(value, type)) throw fault(name, advice(type))
  }
  checkHeaders(options)
}

/** Of one header a caller's key would be taken for the profile that it wants. */
function checkHeaders({ header = HEADER, profileHeader = PROFILE_HEADER }: TenantsOptions): void {
  if (header.toLowerCase() !== profileHeader.toLowerCase()) return
  throw fault('profileHeader', `can't be the header of the API key too; got ${quoted(profileHeader)}`)
}

function fits(value: unknown, type: string): boolean {
  if (type === 'header name') return typeof value === 'string' && /^[!#$%&'*+.^_`|~\w-]{1,128}$/.test(value)
  if (type === 'number') return Number.isSafeInteger(value) && (value as number) > 0
  if (type === 'object') {
    const { warn, error } = (value ?? {}) as Partial<Console>
    return typeof warn === 'function' && typeof error === 'function'
  }
  return typeof value === type
}

function advice(type: string): string {
  if (type === 'header name') return 'takes the name of a header field'
  if (type === 'number') return 'takes a whole number of bytes, at least 1'
  if (type === 'object') return 'takes an object with warn(message) and error(message)'
  return `takes a ${type}`
}
