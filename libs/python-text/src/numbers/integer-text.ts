/** Returns the digits of an integer of any size: JavaScript writes 1e21 and above with an exponent. */
export function integerText(value: number | bigint): string {
  if (typeof value === 'bigint' || Math.abs(value) < 1e21)
    return Object.is(value, -0) ? '0' : value.toString();
  return BigInt(value).toString();
}
