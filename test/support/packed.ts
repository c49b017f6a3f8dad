/** What a script of ours answers with these numbers. */
export function answer(...numbers: readonly number[]): Buffer {
  return packed(-1, ...numbers)
}

/** Whole numbers, packed. */
export function packed(...numbers: readonly number[]): Buffer {
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
