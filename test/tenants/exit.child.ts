// A process that watches a file of tenants and has nothing else to do. Argument: the file. Run by `exit.test.ts`.
import { loadTenants } from '@rl/tenants'

const tenants = await loadTenants(process.argv[2] ?? '', { logger: { warn() {}, error() {} } })
console.log(JSON.stringify(tenants.size))
