import { rmSync } from 'node:fs'
import type { Tenants } from '@rl/tenants'
import { describe, expect, it } from 'vitest'
import { fakeRequest } from '../support/fake-request.js'
import { waitUntil } from '../support/wait-until.js'
import { linkTo, mountedFile, tenantsFile, withLimit } from './tenants-file.js'

function limitOf(tenants: Tenants): unknown {
  const view = fakeRequest({ headers: { 'x-api-key': 'key-acme' } })
  return (tenants.rules().limit({}, view) as readonly { limit: number }[])[0]?.limit
}

/** One change right after the other, of which the last has to come into force, and then one more. */
async function expectFollowed(tenants: Tenants, change: (content: object) => void): Promise<void> {
  change(withLimit(20))
  change(withLimit(30))
  await waitUntil(() => limitOf(tenants) === 30, { what: '30 is in force' })
  change(withLimit(40))
  await waitUntil(() => limitOf(tenants) === 40, { what: '40 is in force' })
}

describe('a change of the file comes into force by itself', () => {
  it('when it is written', async () => {
    const file = tenantsFile()
    await expectFollowed(await file.load(), file.write)
  })

  it('when it is replaced by a rename', async () => {
    const file = tenantsFile()
    await expectFollowed(await file.load(), file.replace)
  })

  it('when it is removed and written again', async () => {
    const file = tenantsFile()
    await expectFollowed(await file.load(), (content) => {
      rmSync(file.path)
      file.write(content)
    })
  })

  it('when the link on the way to it leads elsewhere, as where Kubernetes mounts a ConfigMap', async () => {
    const file = mountedFile(withLimit(10))
    await expectFollowed(await file.load(), file.replace)
  })

  it('when a link in another folder leads to it', async () => {
    const file = tenantsFile()
    const link = linkTo(file)
    await expectFollowed(await link.load(), file.replace)
  })
})

describe('what is told', () => {
  it('a change is one line with names and without keys', async () => {
    const file = tenantsFile()
    const tenants = await file.load()
    file.replace(withLimit(20, { beta: { plan: 'own', keys: ['key-secret'] } }))
    await waitUntil(() => tenants.known('key-secret'), { what: 'the new key is known' })
    expect(file.lines).toEqual([
      '[rl] tenants: tenants.json is in force: 1 plan changed: own; 1 tenant added: beta',
    ])
  })

  it('a fault is told once however often it is seen; what was in force stays', async () => {
    const file = tenantsFile()
    const tenants = await file.load()
    file.write('{"default": 5}')
    await waitUntil(() => file.lines.length > 0, { what: 'it is told' })
    file.replace('{"default": 5}')
    await expect(tenants.reload()).rejects.toThrow('default: expected string, received number')
    file.write(withLimit(30))
    await waitUntil(() => limitOf(tenants) === 30, { what: 'it is mended' })
    expect(file.lines).toEqual([
      `[rl] tenants: refused, what was in force stays: ${file.path}: default: expected string, received number`,
      '[rl] tenants: tenants.json is in force: 1 plan changed: own',
    ])
  })

  it('a fault that is taken back is told too', async () => {
    const file = tenantsFile()
    await file.load()
    file.write('{')
    await waitUntil(() => file.lines.length === 1, { what: 'the fault is told' })
    file.write(withLimit(10))
    await waitUntil(() => file.lines.length === 2, { what: 'that it is mended' })
    expect(file.lines[1]).toBe('[rl] tenants: tenants.json says nothing else than before')
  })

  it('a file that is written again with the same content is no change', async () => {
    const file = tenantsFile()
    const tenants = await file.load()
    file.replace(withLimit(10))
    expect(await tenants.reload()).toBe(false)
    expect(file.lines).toEqual([])
  })

  it('to a logger without info a change is a warning', async () => {
    const file = tenantsFile()
    const warnings: string[] = []
    const logger = { warn: (line: string) => void warnings.push(line), error: () => {} }
    const tenants = await file.load({ logger, watch: false })
    file.write(withLimit(20))
    await tenants.reload()
    expect(warnings).toHaveLength(1)
  })
})

describe('reload()', () => {
  it('reads what is there now, however many ask at once', async () => {
    const file = tenantsFile()
    const tenants = await file.load({ watch: false })
    file.write(withLimit(20))
    const first = tenants.reload()
    const second = tenants.reload()
    expect([await first, await second]).toEqual([true, true])
    file.write(withLimit(30))
    expect(await tenants.reload()).toBe(true)
    expect(limitOf(tenants)).toBe(30)
  })

  it('without watch nothing is read that nobody asks for', async () => {
    const file = tenantsFile()
    const tenants = await file.load({ watch: false })
    const watching = await file.load()
    file.replace(withLimit(20))
    await waitUntil(() => limitOf(watching) === 20, { what: 'the other one has seen it' })
    expect(limitOf(tenants)).toBe(10)
  })
})

describe('SIGHUP', () => {
  it('reads the file again, and is told of no change too', async () => {
    const file = tenantsFile()
    const tenants = await file.load({ watch: false })
    file.write(withLimit(20))
    process.emit('SIGHUP')
    await waitUntil(() => limitOf(tenants) === 20, { what: 'it is read' })
    process.emit('SIGHUP')
    await waitUntil(() => file.lines.length === 2, { what: 'it is told' })
    expect(file.lines[1]).toBe('[rl] tenants: tenants.json says nothing else than before')
  })

  it('is left alone where sighup is false, and after close()', async () => {
    const before = process.listenerCount('SIGHUP')
    const file = tenantsFile()
    await file.load({ sighup: false })
    expect(process.listenerCount('SIGHUP')).toBe(before)
    const tenants = await file.load()
    expect(process.listenerCount('SIGHUP')).toBe(before + 1)
    tenants.close()
    tenants.close()
    expect(process.listenerCount('SIGHUP')).toBe(before)
  })
})
