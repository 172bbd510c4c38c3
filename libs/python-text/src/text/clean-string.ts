// Python's \s, which differs from JavaScript's in some control characters and the byte order mark.
const space = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
// In Python, only a newline ends a line. The patterns match a run of blanks completely or up to a newline and never
// backtrack. A pattern that begins with the newline is much faster than one with a lookbehind.
const firstBlankLines = new RegExp(`^${space}+(?![^\\n])`);
const laterBlankLines = new RegExp(`\\n${space}+(?![^\\n])`, 'g');
const manyNewlines = /\n{3,}/g;

/** Empties blank lines and keeps at most one empty line in a row. */
export function cleanString(text: string): string {
  return text.replace(firstBlankLines, '').replace(laterBlankLines, '\n').replace(manyNewlines, '\n\n');
}
