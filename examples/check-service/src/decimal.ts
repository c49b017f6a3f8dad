/** A decimal without a rounding: `digits / scale`, in lowest terms as far as powers of ten go. */
export interface Decimal {
  readonly digits: number
  /** A power of ten. */
  readonly scale: number
}

const FORM = /^(\d{1,7})(?:\.(\d{1,6}))?$/

/** What {@link toDecimal} reads, in words. */
export const DECIMAL_FORM = 'up to 7 digits, a point, and up to 6 digits behind it'

/** Reads `60`, `0.5` or `2.50`; undefined for all else: signs, exponents, spaces, more digits. */
export function toDecimal(text: string): Decimal | undefined {
  const match = FORM.exec(text)
  if (match === null) return undefined
  const fraction = (match[2] ?? '').replace(/0+$/, '')
  // At most 13 digits, so both are exact.
  return { digits: Number(`${match[1]}${fraction}`), scale: 10 ** fraction.length }
}

/** As it is written shortest: `2.50` → `2.5`. */
export function formatDecimal({ digits, scale }: Decimal): string {
  const places = Math.round(Math.log10(scale))
  return (digits / scale).toFixed(places)
}
