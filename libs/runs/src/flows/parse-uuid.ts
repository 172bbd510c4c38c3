const WHITESPACE_AROUND = /^\s+|\s+$/gu;
// Accepted by Python's int(text, 16): a sign, 0x, single underscores between digits.
const HEXADECIMAL = /^\+?(?:0[xX]_?)?([0-9a-fA-F]+(?:_[0-9a-fA-F]+)*)$/u;
const UUID_DIGITS = 32;

/**
 * Returns the UUID in its canonical form, from any spelling that Python's `uuid.UUID` accepts: upper case, with or
 * without dashes, in braces, with `urn:uuid:`. Null when the text is not a UUID.
 */
export function parseUuid(text: string): string | null {
  const bare = withoutBraces(text.replaceAll('urn:', '').replaceAll('uuid:', '')).replaceAll('-', '');
  if (bare.length !== UUID_DIGITS) return null;
  const digits = HEXADECIMAL.exec(bare.replace(WHITESPACE_AROUND, ''))?.[1];
  if (digits === undefined) return null;
  const hex = digits.replaceAll('_', '').toLowerCase().padStart(UUID_DIGITS, '0');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

function withoutBraces(text: string): string {
  let start = 0;
  let end = text.length;
  while (isBrace(text[start])) start += 1;
  while (isBrace(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isBrace(character: string | undefined): boolean {
  return character === '{' || character === '}';
}
