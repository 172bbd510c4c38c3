/** PostgreSQL's identifier of the type text. */
const TEXT = 25;
const HEADER_BYTES = 12;
const DIMENSION_BYTES = 8;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;

/**
 * Texts as a parameter of type text[], in PostgreSQL's binary form. For long texts, JSON above all: as an array of
 * strings each would have every quote and backslash escaped, which costs more than all the rest of a statement.
 */
export function textArray(texts: readonly (string | null)[]): Buffer {
  const lengths = texts.map((text) => (text === null ? NULL_LENGTH : Buffer.byteLength(text)));
  const dimensions = texts.length === 0 ? 0 : 1;
  const bytes = lengths.reduce((sum, length) => sum + LENGTH_BYTES + Math.max(0, length), 0);
  const array = Buffer.allocUnsafe(HEADER_BYTES + dimensions * DIMENSION_BYTES + bytes);
  let at = array.writeInt32BE(dimensions, 0);
  at = array.writeInt32BE(lengths.includes(NULL_LENGTH) ? 1 : 0, at);
  at = array.writeInt32BE(TEXT, at);
  if (dimensions === 0) return array;
  at = array.writeInt32BE(texts.length, at);
  at = array.writeInt32BE(1, at);
  texts.forEach((text, index) => {
    at = array.writeInt32BE(lengths[index] ?? NULL_LENGTH, at);
    if (text !== null) at += array.write(text, at, 'utf8');
  });
  return array;
}
