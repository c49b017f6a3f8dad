import { randomBytes } from 'node:crypto'

/**
 * A key prefix that no other test uses, such as `test-1f0c5a9b2e7d`: letters, digits and a dash only.
 *
 * With one prefix a test, many tests share a server and none has to flush it.
 */
export function keyPrefix(label = 'test'): string {
  return `${label}-${randomBytes(6).toString('hex')}`
}
