export interface JsonBounds {
  /** Maximum number of nested objects and arrays. */
  readonly maximumDepth: number;
  /** Maximum number of members of all objects and items of all arrays together; an empty one counts as one. */
  readonly maximumMembers: number;
}

/** Where a text exceeds a limit; `index` counts UTF-16 code units. */
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
 * Returns the first place where JSON text exceeds the limits of depth or members; null when there is none. Takes one
 * pass without recursion or allocation, so that it can precede a parser. Text that is not JSON is counted by its
 * brackets and commas.
 */
export function findJsonExcess(
  text: string,
  { maximumDepth, maximumMembers }: JsonBounds,
): JsonExcess | null {
  // Each level and each member takes at least one character.
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

/** Returns the index of the quote that ends the string at `start`; the text's length when there is none. */
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
