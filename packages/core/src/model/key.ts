import { hmac } from '@noble/hashes/hmac'
import { sha256 } from '@noble/hashes/sha2'
import { RateLimitError, show } from './errors.js'

/** What may be a key: a non-empty string, a safe integer or a bigint. 1 and `'1'` are one key. */
export type Key = string | number | bigint

/** Longer keys are hashed, so that no client decides how much memory its key takes. */
const MAX_LENGTH = 256

/**
 * The key as a store sees it: at most 257 characters, different for different keys. `#` marks a hash; a literal key
 * that begins with it gets a second one.
 * @throws RateLimitError `RL_KEY` for anything that is no key: never a bucket called "undefined".
 */
export function toKey(key: unknown): string {
  const isPlain =
    typeof key === 'string' && key !== '' && key.length <= MAX_LENGTH && key.charCodeAt(0) !== HASH_MARK
  return isPlain ? key : rareKey(key)
}

/** Apart: V8 takes a function into its callers while all that it takes is small. */
function rareKey(key: unknown): string {
  if (typeof key === 'string' && key !== '') {
    if (key.length > MAX_LENGTH) return `#${digest(key)}`
    return key.charCodeAt(0) === HASH_MARK ? `#${key}` : key
  }
  if (Number.isSafeInteger(key) || typeof key === 'bigint') return toKey(String(key))
  throw new RateLimitError(
    'RL_KEY',
    `key: must be a non-empty string, a safe integer or a bigint; got ${show(key)}. ` +
      'Give requests without one a key of their own: key: (ctx) => ctx.user?.id ?? "anonymous".',
  )
}

const HASH_MARK = '#'.charCodeAt(0)

/** SHA-256 of the text, or its HMAC under a secret: 43 characters of base64url. */
export function digest(text: string, secret?: string): string {
  return base64url(
    secret === undefined ? sha256(bytesOf(text)) : hmac(sha256, bytesOf(secret), bytesOf(text)),
  )
}

/** The UTF-16 code units: UTF-8 would merge lone surrogates. */
function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 2)
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    bytes[2 * i] = unit >> 8
    bytes[2 * i + 1] = unit & 0xff
  }
  return bytes
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

function base64url(bytes: Uint8Array): string {
  let text = ''
  for (let bit = 0; bit < bytes.length * 8; bit += 6) {
    const byte = bit >> 3
    const pair = ((bytes[byte] as number) << 8) | (bytes[byte + 1] ?? 0)
    text += ALPHABET[(pair >> (10 - (bit & 7))) & 63]
  }
  return text
}
