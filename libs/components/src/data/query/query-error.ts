/** A jq expression that cannot be read, or that fails on the data; the message is jq's where jq has one. */
export class QueryError extends Error {}

const maximumSize = 10_000_000;

/** Throws a QueryError for a text of so many characters, a list of so many items, or so many comparisons. */
export function checkSize(size: number): void {
  if (size > maximumSize) throw new QueryError('the result is too large');
}
