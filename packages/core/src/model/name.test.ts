import { describe, expect, it } from 'vitest'
import { thrown } from '../../../../test/support/thrown.js'
import { checkName } from './name.js'

describe('checkName', () => {
  it.each(['a', '7', '1m', 'login', 'Per user_1.b:c-d', 'x'.repeat(64)])('takes %o as it is', (name) => {
    expect(checkName(name, 'name')).toBe(name)
  })

  const advice = 'is 1 to 64 of A-Z a-z 0-9 space _ . : - and begins with a letter or digit'
  it.each([
    ['row 85', 'my "best"', String.raw`"my \"best\""`],
    ['row 85', 'límite', '"límite"'],
    ['row 85', 'a\r\nSet-Cookie: x=1', String.raw`"a\r\nSet-Cookie: x=1"`],
    ['row 85', '', '""'],
    ['row 85', 'x'.repeat(5000), `"${'x'.repeat(79)}…`],
    ['65 characters', 'x'.repeat(65), `"${'x'.repeat(65)}"`],
    ['a line end behind it', 'login\n', String.raw`"login\n"`],
    ['braces, a hash tag in Redis', '{login}', '"{login}"'],
    ['a blank before it', ' login', '" login"'],
    ['an inherited name', '__proto__', '"__proto__"'],
    ['a number', 1, '1'],
    ['nothing', undefined, 'undefined'],
    ['null', null, 'null'],
  ])('%s: refuses %o and shows it on one line', (_, name, seen) => {
    expect(thrown(() => checkName(name, 'name'))).toMatchObject({
      code: 'RL_CONFIG',
      message: `name: ${advice}; got ${seen}`,
    })
  })
})
