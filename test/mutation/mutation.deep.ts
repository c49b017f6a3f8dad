import { afterAll, describe, expect, it } from 'vitest'
import { FAULTS } from './faults/index.js'
import { runTests, type TestRun } from './test-run.js'
import { TreeCopy } from './tree-copy.js'

const copy = new TreeCopy()
const table: string[] = []

afterAll(() => {
  copy.remove()
  console.log(table.join('\n'))
})

describe('the fast tests of the algorithms', () => {
  it('pass without a fault', async () => {
    const run = await runTests(copy.folder)
    table.push(`no fault: ${run.passed} passed`)
    expect(run).toMatchObject({ failed: new Map(), unloaded: [], isEndless: false })
    expect(run.passed).toBeGreaterThan(200)
  })

  for (const [i, fault] of FAULTS.entries()) {
    const { file, from, to, why } = fault
    it(`find the fault: ${why} (${file}: ${oneLine(from)} → ${oneLine(to)})`, async () => {
      const repair = copy.break(fault)
      const run = await runTests(copy.folder)
      repair()
      table.push(`${i + 1} ${file}: ${oneLine(from)} → ${oneLine(to)} | ${why} | ${foundBy(run)}`)
      expect(run.unloaded).toEqual([])
      expect(run.isEndless || run.failed.size > 0).toBe(true)
    })
  }
})

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function foundBy({ failed, isEndless }: TestRun): string {
  if (isEndless) return 'does not end'
  const files = [...failed].map(([file, titles]) => `${file.replace('.test.ts', '')} ${titles.length}`)
  return files.length > 0 ? files.join(', ') : 'SURVIVES'
}
