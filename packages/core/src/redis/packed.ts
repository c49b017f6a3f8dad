/** First bytes of what is longer than one byte: unsigned of 1, 2, 4 and 8 bytes, and signed. Less than these is the number. */
const UNSIGNED = 0xcc
const SIGNED = 0xd0
const AFTER_SIGNED = 0xd4
const NEGATIVE = 0xe0

/**
 * The whole numbers that a script has packed (MessagePack, as cmsgpack of Redis writes it): much less work than a list of
 * them is to the server and to its client. @throws Error when it is anything else.
 */
export function unpackIntegers(reply: unknown): number[] {
  // Of another realm's class it may be, as tests of users have it.
  if (!ArrayBuffer.isView(reply)) throw new Error('the reply is not packed')
  const bytes = reply as Uint8Array
  const numbers: number[] = []
  let at = 0
  while (at < bytes.length) {
    const head = bytes[at++] as number
    if (head < 0x80) {
      numbers.push(head)
    } else if (head >= NEGATIVE) {
      numbers.push(head - 0x100)
    } else {
      const size = sizeOf(head)
      numbers.push(integerAt(bytes, at, size, head >= SIGNED))
      at += size
    }
  }
  return numbers
}

function sizeOf(head: number): number {
  if (head < UNSIGNED || head >= AFTER_SIGNED)
    throw new Error('the reply holds something else than whole numbers')
  return 1 << (head & 3)
}

function integerAt(bytes: Uint8Array, at: number, size: number, isSigned: boolean): number {
  if (at + size > bytes.length) throw new Error('the reply ends within a number')
  const first = bytes[at] as number
  let number = isSigned && first >= 0x80 ? first - 0x100 : first
  for (let i = at + 1; i < at + size; i++) number = number * 0x100 + (bytes[i] as number)
  if (!Number.isSafeInteger(number)) throw new Error('the reply has a number out of range')
  return number
}
