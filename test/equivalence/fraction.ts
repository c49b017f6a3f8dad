/** An exact rational number; the denominator is positive. */
export interface Fraction {
  readonly num: bigint
  readonly den: bigint
}

export function fraction(num: bigint, den = 1n): Fraction {
  return { num, den }
}

export function plus(left: Fraction, right: Fraction): Fraction {
  if (left.den % right.den === 0n) {
    return fraction(left.num + right.num * (left.den / right.den), left.den)
  }
  if (right.den % left.den === 0n) return plus(right, left)
  return fraction(left.num * right.den + right.num * left.den, left.den * right.den)
}

export function minus(left: Fraction, right: Fraction): Fraction {
  return plus(left, fraction(-right.num, right.den))
}

/** The quotient of two fractions above zero. */
export function over(left: Fraction, right: Fraction): Fraction {
  return fraction(left.num * right.den, left.den * right.num)
}

/** The smallest whole number that is not below a fraction above zero. */
export function whole({ num, den }: Fraction): bigint {
  return num / den + (num % den === 0n ? 0n : 1n)
}

export function atMost(left: Fraction, right: Fraction): boolean {
  return left.num * right.den <= right.num * left.den
}

export function equal(left: Fraction, right: Fraction): boolean {
  return left.num * right.den === right.num * left.den
}
