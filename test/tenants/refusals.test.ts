import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { loadTenants } from '@rl/tenants'
import { describe, expect, it } from 'vitest'
import { tenantsFile, withLimit } from './tenants-file.js'

const quiet = { watch: false, sighup: false }

describe('a file with a fault', () => {
  it.each([
    [
      'a truncated file',
      JSON.stringify(withLimit(10)).slice(0, -20),
      /ends before it is complete|is no JSON/,
    ],
    ['an empty file', '', /ends before it is complete/],
    ['a member that stands there twice', '{"default":"a","default":"b"}', /default: stands there twice/],
    [
      'a wrong type',
      { ...withLimit(10), tenants: { acme: 'own' } },
      /tenants\.acme: expected object, received string/,
    ],
    [
      'a key of two tenants',
      withLimit(10, { beta: { plan: 'own', keys: ['key-acme'] } }),
      /tenants\.beta\.keys\[0\]: is a key/,
    ],
    [
      'a limit that core refuses',
      { default: 'a', plans: { a: { limit: { slidingLog: { limit: -1, window: '1m' } } } } },
      /plans\.a\.limit: slidingLog: limit: must be/,
    ],
    [
      'a name that JavaScript has plans for',
      '{"default":"a","plans":{"__proto__":{"limit":"5/1m"}}}',
      /plans\.__proto__: is no name/,
    ],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00]), /is no UTF-8 text/],
  ])('%s is refused at the start and later, and what was in force stays', async (_, content, message) => {
    const file = tenantsFile()
    const tenants = await file.load(quiet)
    writeFileSync(
      file.path,
      content instanceof Buffer || typeof content === 'string' ? content : JSON.stringify(content),
    )
    await expect(tenants.reload()).rejects.toThrow(message)
    await expect(tenants.reload()).rejects.toThrow(file.path)
    expect(tenants.known('key-acme')).toBe(true)
    await expect(loadTenants(file.path, quiet)).rejects.toMatchObject({ code: 'RL_CONFIG' })
    file.write(withLimit(11))
    expect(await tenants.reload()).toBe(true)
  })

  it.each([
    ['words', 'junk '.repeat(2_000_000)],
    ['zeros', '\0'.repeat(10_000_000)],
    ['brackets', '['.repeat(10_000_000)],
    ['one text', `"${'x'.repeat(10_000_000)}"`],
    [
      'wrong tenants',
      `{"default":"a","plans":{"a":{"limit":"5/1m"}},"tenants":{${Array.from({ length: 500_000 }, (_, i) => `"t${i}":{"plan":1}`).join()}}}`,
    ],
  ])('10 MB of junk (%s) is refused, with one short message', async (_, junk) => {
    const file = tenantsFile()
    const tenants = await file.load(quiet)
    file.write(junk)
    const error: unknown = await tenants.reload().catch((error: unknown) => error)
    expect((error as Error).message.length).toBeLessThan(300)
    expect(tenants.known('key-acme')).toBe(true)
  })

  it('a larger one than maxBytes is not even read', async () => {
    const file = tenantsFile(' '.repeat(2000))
    await expect(loadTenants(file.path, { ...quiet, maxBytes: 1999 })).rejects.toThrow(
      'is larger than maxBytes (1999)',
    )
  })

  it('what is missing, a folder, or a pipe that nobody writes is said, and waited for by nobody', async () => {
    const file = tenantsFile()
    const tenants = await file.load(quiet)
    rmSync(file.path)
    await expect(tenants.reload()).rejects.toThrow('no such file: "/')
    mkdirSync(file.path)
    await expect(tenants.reload()).rejects.toThrow('is no file')
    rmSync(file.path, { recursive: true })
    execFileSync('mkfifo', [file.path])
    await expect(tenants.reload()).rejects.toThrow('is no file')
    expect(tenants.known('key-acme')).toBe(true)
  })
})

describe('wrong options', () => {
  it.each([
    [{ headers: 'x' }, 'there is no option "headers"'],
    [{ header: 'a b' }, 'header: takes the name of a header field'],
    [{ header: 'Config-Profile' }, "profileHeader: can't be the header of the API key too"],
    [{ profileHeader: 'X-API-Key' }, "profileHeader: can't be the header of the API key too"],
    [{ watch: 1 }, 'watch: takes a boolean'],
    [{ maxBytes: -1 }, 'maxBytes: takes a whole number'],
    [{ logger: {} }, 'logger: takes an object'],
    [{ tenant: 'acme' }, 'tenant: takes a function'],
  ])('%j: %s', async (options, message) => {
    await expect(loadTenants(tenantsFile().path, options as never)).rejects.toThrow(message)
  })
})
