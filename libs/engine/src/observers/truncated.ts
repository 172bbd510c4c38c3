const MAXIMUM_TEXT_LENGTH = 6_000;
const MAXIMUM_LIST_LENGTH = 1_000;

/** Returns a JSON value for observers, with long texts and long lists truncated. */
export function truncated(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > MAXIMUM_TEXT_LENGTH ? `${value.slice(0, MAXIMUM_TEXT_LENGTH)}...` : value;
  if (Array.isArray(value)) return value.slice(0, MAXIMUM_LIST_LENGTH).map(truncated);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, truncated(member)]));
}
