import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** What a request may ask for by the `config-profile` header. */
export interface Profile {
  readonly name: string
  /** Of a model, over all users and gateways; undefined: as many as come. */
  readonly requestsPerSecond: number | undefined
}

/** The profiles of a configuration, by name. */
export type Profiles = ReadonlyMap<string, Profile>

// Strict: a limit that is misspelt would be no limit.
const CONFIG = z.strictObject({
  profiles: z.record(
    z.string().min(1).max(64),
    z.strictObject({
      routingStrategy: z.literal('least-request').optional(),
      requestsPerSecond: z.int().min(0).max(1_000_000).optional(),
    }),
  ),
})

/** Reads the file. @throws Error that names the file, and the path in it where it is wrong */
export function readConfig(file: string): Profiles {
  const { success, data, error } = CONFIG.safeParse(parse(file))
  if (!success) throw new Error(`--config ${file}: ${issuesOf(error)}`)
  const profiles = Object.entries(data.profiles).map(
    ([name, { requestsPerSecond }]) => [name, { name, requestsPerSecond }] as const,
  )
  return new Map(profiles)
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`--config ${file}: ${(error as Error).message}`)
  }
}

function issuesOf({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`).join('; ')
}
