/** What a script answers with these numbers: whole ones, packed. Others can't be, and are left out of what a test may ask. */
export function packed(...numbers: readonly number[]): Uint8Array {
  return Buffer.concat(numbers.map(packedNumber))
}

function packedNumber(number: number): Buffer {
  if (number >= 0 && number < 0x80) return Buffer.of(number)
  if (number < 0 && number >= -0x20) return Buffer.of(0x100 + number)
  const bytes = Buffer.alloc(9)
  bytes[0] = 0xd3
  bytes.writeBigInt64BE(BigInt(number), 1)
  return bytes
}
