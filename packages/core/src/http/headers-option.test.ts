import { describe, expect, it } from 'vitest'
import { policyResult } from '../../../../test/support/policy-result.js'
import { fieldWriter, type HeadersOption } from './headers.js'

const first = policyResult()

describe('which forms go together', () => {
  it.each([[['draft-6', 'draft-8']], [['draft-7', 'draft-8']], [['draft-11', 'legacy', 'draft-6']]])(
    '%j give RateLimit-Policy two meanings and are refused',
    (forms) => {
      expect(() => fieldWriter(forms as HeadersOption)).toThrow(
        expect.objectContaining({
          code: 'RL_CONFIG',
          message: expect.stringContaining('one field two meanings'),
        }),
      )
    },
  )

  it.each([['draft-12'], [true], [['draft-8', 'none']], [null], [''], ['toString']])(
    '%j is no form, and the message names those that are',
    (option) => {
      expect(() => fieldWriter(option as HeadersOption)).toThrow(
        expect.objectContaining({
          code: 'RL_CONFIG',
          message: expect.stringContaining(
            'headers: takes false or draft-6, draft-7, draft-8, draft-9, draft-10, draft-11, legacy; got ',
          ),
        }),
      )
    },
  )

  it('draft-6 and draft-7 agree on the field they share, so it is sent once', () => {
    expect(fieldWriter(['draft-6', 'draft-7'])([first])).toEqual([
      ['RateLimit-Policy', '100;w=60'],
      ['RateLimit-Limit', '100'],
      ['RateLimit-Remaining', '99'],
      ['RateLimit-Reset', '60'],
      ['RateLimit', 'limit=100, remaining=99, reset=60'],
    ])
  })

  it('aliases of one form write it once', () => {
    expect(fieldWriter(['draft-8', 'draft-11'])([first])).toHaveLength(2)
  })
})
