// Python's \s, which differs from JavaScript's in a few control characters and the byte order mark.
const space = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
// Python ends lines at newlines only. The run of blanks is taken whole or up to a newline, never tried piecemeal; a
// pattern that begins with the newline is found many times faster than one that looks behind itself for it.
const firstBlankLines = new RegExp(`^${space}+(?![^\\n])`);
const laterBlankLines = new RegExp(`\\n${space}+(?![^\\n])`, 'g');
const manyNewlines = /\n{3,}/g;

/** Empties lines that hold only blanks, and leaves at most one empty line in a row. */
export function cleanString(text: string): string {
  return text.replace(firstBlankLines, '').replace(laterBlankLines, '\n').replace(manyNewlines, '\n\n');
}
