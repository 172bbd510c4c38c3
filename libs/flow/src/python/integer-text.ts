/** Digits of an integer, however large: JavaScript would write 1e21 and above with an exponent. */
export function integerText(value: number | bigint): string {
  if (typeof value === 'bigint' || Math.abs(value) < 1e21)
    return Object.is(value, -0) ? '0' : value.toString();
  return BigInt(value).toString();
}
