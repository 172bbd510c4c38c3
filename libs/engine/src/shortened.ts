const LONGEST_TEXT = 6_000;
const LONGEST_LIST = 1_000;

/** A JSON value for those who only look on: long texts are cut, as are long lists. */
export function shortened(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}...` : value;
  if (Array.isArray(value)) return value.slice(0, LONGEST_LIST).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]));
}
