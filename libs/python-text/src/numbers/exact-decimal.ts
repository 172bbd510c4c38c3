/** The decimal digits of a float, correctly rounded (half to even on the exact value), as C's printf prints them. */

// No float has more digits than this before or after the point; further digits are zeros.
const maximumDigits = 1100;

/** Returns a non-negative float with the given number of decimals: `1234.50`; without a point when `decimals` is 0. */
export function fixedDigits(value: number, decimals: number): string {
  const exact = Math.min(decimals, maximumDigits);
  const digits = scaledAndRounded(value, exact)
    .toString()
    .padStart(exact + 1, '0');
  const whole = digits.slice(0, digits.length - exact);
  return decimals === 0 ? whole : `${whole}.${digits.slice(digits.length - exact).padEnd(decimals, '0')}`;
}

/** Returns the given number of significant digits of a non-negative float, and the power of ten of the first digit. */
export function significantDigits(value: number, count: number): { digits: string; exponent: number } {
  if (value === 0) return { digits: '0'.repeat(count), exponent: 0 };
  const exact = Math.min(count, maximumDigits);
  const exponent = Number(value.toExponential().split('e')[1]);
  const digits = scaledAndRounded(value, exact - 1 - exponent).toString();
  // Rounding can add a digit: 9.99 becomes 10.0.
  const carried = digits.length - exact;
  return { digits: digits.slice(0, exact).padEnd(count, '0'), exponent: exponent + carried };
}

/** Returns value × 10^power as the nearest integer, ties to even. */
function scaledAndRounded(value: number, power: number): bigint {
  const { mantissa, exponent } = binaryParts(value);
  const numerator = mantissa * powerOf(2n, exponent) * powerOf(10n, power);
  const denominator = powerOf(2n, -exponent) * powerOf(10n, -power);
  const quotient = numerator / denominator;
  const twiceTheRest = (numerator % denominator) * 2n;
  const roundsUp = twiceTheRest > denominator || (twiceTheRest === denominator && quotient % 2n === 1n);
  return roundsUp ? quotient + 1n : quotient;
}

function powerOf(base: bigint, exponent: number): bigint {
  return exponent > 0 ? base ** BigInt(exponent) : 1n;
}

function binaryParts(value: number): { mantissa: bigint; exponent: number } {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const biased = (bits.getUint32(0) >>> 20) & 0x7ff;
  const fraction = bits.getBigUint64(0) & 0xfffffffffffffn;
  if (biased === 0) return { mantissa: fraction, exponent: -1074 };
  return { mantissa: fraction | 0x10000000000000n, exponent: biased - 1075 };
}
