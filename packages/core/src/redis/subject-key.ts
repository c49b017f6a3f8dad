import { digest } from '../model/key.js'

/** Printable ASCII that no cluster, pattern or parser reads a meaning into. */
const PLAIN = /^[!-$&-z|~]+$/
const SPECIAL = /[^!-$&-z|~]/g

const MAX_LENGTH = 512

/**
 * A subject as it stands in a Redis key: printable, without braces, of at most 512 characters, different for different
 * subjects. UTF-16 code units outside the plain ones are `%` and four hex digits; `%~` marks a hash, as no escape does.
 */
export function encodeSubject(subject: string): string {
  if (subject.length <= MAX_LENGTH && PLAIN.test(subject)) return subject
  const text = subject.replace(SPECIAL, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return text.length > MAX_LENGTH ? `%~${digest(subject)}` : text
}

const SLOTS = 16_384

/** The cluster slot of a key whose only braces are around `tag`: CRC16 (XMODEM) of the tag, which is ASCII. */
export function slotOf(tag: string): number {
  let crc = 0
  for (let i = 0; i < tag.length; i++) {
    crc ^= tag.charCodeAt(i) << 8
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
  }
  return (crc & 0xffff) % SLOTS
}
