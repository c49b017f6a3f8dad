export { loadTenants } from './load-tenants.js'
export type { Caller } from './member.js'
export type { Rules, Tenants, TenantsLogger, TenantsOptions } from './types.js'
