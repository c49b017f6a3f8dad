import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadTenants, type Tenants, type TenantsOptions } from '@rl/tenants'
import { onTestFinished } from 'vitest'
import { scratchDir } from '../support/guardian.js'

export interface TestFile {
  readonly path: string
  /** What was logged, in order. */
  readonly lines: readonly string[]
  /** Over what stands there. */
  write(content: unknown): void
  /** By a rename over it. */
  replace(content: unknown): void
  load(options?: TenantsOptions): Promise<Tenants>
}

/** Plans and tenants for a test: `acme` with `key-acme` may have `limit` a minute, everybody else five. */
export function withLimit(limit: number, more: Readonly<Record<string, unknown>> = {}): object {
  return {
    default: 'free',
    plans: { free: { limit: '5/1m' }, own: { limit: `${limit}/1m` } },
    tenants: { acme: { plan: 'own', keys: ['key-acme'] }, ...more },
  }
}

/** A file of tenants in a folder of its own. */
export function tenantsFile(content: unknown = withLimit(10)): TestFile {
  const path = join(scratchDir('tenants'), 'tenants.json')
  writeFileSync(path, textOf(content))
  return testFile(path)
}

/** The same as Kubernetes mounts it: a link through the link `..data`, which is what changes. */
export function mountedFile(content: unknown): TestFile {
  const folder = scratchDir('mount')
  let generation = 0
  const mount = (next: unknown) => {
    const target = `..2026_${generation++}`
    mkdirSync(join(folder, target))
    writeFileSync(join(folder, target, 'tenants.json'), textOf(next))
    symlinkSync(target, join(folder, '..data_tmp'))
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'))
    if (generation > 1) rmSync(join(folder, `..2026_${generation - 2}`), { recursive: true })
  }
  mount(content)
  symlinkSync('..data/tenants.json', join(folder, 'tenants.json'))
  return { ...testFile(join(folder, 'tenants.json')), replace: mount }
}

/** Another link to it, from a folder elsewhere. */
export function linkTo({ path }: TestFile): TestFile {
  const link = join(scratchDir('link'), 'linked.json')
  symlinkSync(path, link)
  return testFile(link)
}

function testFile(path: string): TestFile {
  const lines: string[] = []
  const say = (line: string) => void lines.push(line)
  return {
    path,
    lines,
    write: (content) => writeFileSync(path, textOf(content)),
    replace(content) {
      writeFileSync(`${path}.new`, textOf(content))
      renameSync(`${path}.new`, path)
    },
    async load(options) {
      const tenants = await loadTenants(path, { logger: { info: say, warn: say, error: say }, ...options })
      onTestFinished(() => tenants.close())
      return tenants
    },
  }
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content)
}
