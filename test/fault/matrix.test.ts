import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleChild, type Child } from '../support/child.js'
import { expectOutcome } from './matrix/expect-outcome.js'
import { FAULTS } from './matrix/faults.js'
import { runFault } from './matrix/run-fault.js'

let child: Child
beforeAll(async () => {
  child = await bundleChild(new URL('./matrix/load.child.ts', import.meta.url))
})
afterAll(() => child?.remove())

const ROWS = ['killed', 'frozen', 'garbage replies', 'absent at the start']
const rows = FAULTS.filter(({ name }) => ROWS.includes(name))

// At once: each has servers and processes of its own, and waits most of the time.
describe.concurrent('G8, G9, G11 to G13: a decision within the deadline, and the store again afterwards', () => {
  it.each(rows.map((row) => [row.name, row] as const))(
    'row 74: %s',
    { timeout: 60_000 },
    async (_, fault) => {
      expectOutcome(await runFault(fault, child.program))
    },
  )
})

it('the rows are there', () => {
  expect(rows.map(({ name }) => name)).toEqual(ROWS)
})
