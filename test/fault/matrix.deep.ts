import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundleChild, type Child } from '../support/child.js'
import { expectOutcome } from './matrix/expect-outcome.js'
import { FAULTS } from './matrix/faults.js'
import { matrixText } from './matrix/matrix-text.js'
import { type Outcome, runFault } from './matrix/run-fault.js'

let child: Child
beforeAll(async () => {
  child = await bundleChild(new URL('./matrix/load.child.ts', import.meta.url))
})
afterAll(() => child?.remove())

const outcomes: Outcome[] = []

it.each(FAULTS.map((row) => [row.name, row] as const))('row 74: %s', async (_, fault) => {
  const outcome = await runFault(fault, child.program)
  expectOutcome(outcome)
  outcomes.push(outcome)
})

it('writes the matrix, when every row has held', () => {
  expect(outcomes).toHaveLength(FAULTS.length)
  writeFileSync(new URL('./matrix.md', import.meta.url), matrixText(outcomes))
})
