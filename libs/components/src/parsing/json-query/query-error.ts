/** A jq expression that cannot be parsed or that fails on the data; the message is jq's where jq has one. */
export class QueryError extends Error {}

const maximumSize = 10_000_000;

/** Throws a QueryError when the characters of a text, the items of a list or the comparisons exceed the limit. */
export function checkSize(size: number): void {
  if (size > maximumSize) throw new QueryError('the result is too large');
}
