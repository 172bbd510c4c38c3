export interface JsonBounds {
  /** How many objects and arrays may be open at a time. */
  readonly maximumDepth: number;
  /** How many members all objects and items all arrays may have together; an empty one counts as one. */
  readonly maximumMembers: number;
}

/** Where text exceeds its bounds; `index` is that of a UTF-16 code unit. */
export interface JsonExcess {
  readonly kind: 'depth' | 'members';
  readonly index: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * The first place where JSON text nests deeper or has more members than it may; null when there is none. One pass over
 * the text without recursion and without memory, so that it can go before a parser. Text that is not JSON is counted by
 * its brackets and commas.
 */
export function findJsonExcess(
  text: string,
  { maximumDepth, maximumMembers }: JsonBounds,
): JsonExcess | null {
  // Each level and each member takes a character.
  if (text.length <= maximumDepth && text.length <= maximumMembers) return null;
  let depth = 0;
  let members = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      index = endOfString(text, index);
    } else if (code === COMMA) {
      members += 1;
      if (members > maximumMembers) return { kind: 'members', index };
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      depth += 1;
      if (depth > maximumDepth) return { kind: 'depth', index };
      members += 1;
      if (members > maximumMembers) return { kind: 'members', index };
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) depth -= 1;
  }
  return null;
}

/** Index of the quote that ends the string which begins here; the text's end when nothing ends it. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(index - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
