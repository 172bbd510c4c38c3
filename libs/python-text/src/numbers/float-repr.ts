/** Returns Python's `repr` of a float: `1.0`, `0.1`, `1e+16`, `1e-05`, `nan`, `-inf`. */
export function floatRepr(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  const magnitude = Math.abs(value);
  if (magnitude < 1e16 && (magnitude >= 1e-4 || magnitude === 0)) return plainRepr(value);
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  return `${digits}e${pythonExponent(Number(exponent))}`;
}

/** Returns the exponent of a float in Python's form: signed, at least two digits. */
export function pythonExponent(exponent: number): string {
  const digits = String(Math.abs(exponent)).padStart(2, '0');
  return `${exponent < 0 ? '-' : '+'}${digits}`;
}

// Between 1e-4 and 1e16 JavaScript writes the same digits without an exponent (its own bounds are 1e-7 and 1e21).
function plainRepr(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  return Number.isInteger(value) ? `${String(value)}.0` : String(value);
}
