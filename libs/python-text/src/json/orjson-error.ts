/** The error for a value that orjson does not write; `message` is orjson's text. */
export class OrjsonError extends Error {
  override readonly name = 'OrjsonError';
}
