// Characters for which Python's str.isspace() is true; JavaScript's \s lacks some control characters and includes the
// byte order mark.
const blanks: ReadonlySet<string> = new Set(
  '\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000' +
    '\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a',
);

/** Removes blanks, or the given characters, at the ends of a text, like Python's `strip`, `lstrip` and `rstrip`. */
export function strip(text: string, side: 'both' | 'left' | 'right' = 'both', characters?: string): string {
  const stripped: ReadonlySet<string> = characters === undefined ? blanks : new Set(characters);
  let start = 0;
  let end = text.length;
  while (side !== 'right' && start < end && stripped.has(characterAt(text, start))) {
    start += characterAt(text, start).length;
  }
  while (side !== 'left' && end > start && stripped.has(characterBefore(text, end))) {
    end -= characterBefore(text, end).length;
  }
  return text.slice(start, end);
}

function characterAt(text: string, offset: number): string {
  return String.fromCodePoint(text.codePointAt(offset) ?? 0);
}

function characterBefore(text: string, offset: number): string {
  const pair = text.codePointAt(offset - 2) ?? 0;
  return pair > 0xffff ? String.fromCodePoint(pair) : text.charAt(offset - 1);
}
