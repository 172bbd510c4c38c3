/** Contents of Python's character classes for all of Unicode, as RE2 syntax inside of a set. */
export const unicodeClasses: Readonly<Record<string, string>> = {
  d: '\\p{Nd}',
  D: '\\P{Nd}',
  w: '\\p{L}\\p{N}_',
  W: wordComplement(),
  s: ' \\t-\\r\\x1c-\\x1f\\x85\\xa0\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}',
  S: blankComplement(),
};

/** The same with the flag `a` (ASCII). */
export const asciiClasses: Readonly<Record<string, string>> = {
  d: '0-9',
  D: '\\x00-\\x2f\\x3a-\\x{10ffff}',
  w: '0-9A-Za-z_',
  W: '\\x00-\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x{10ffff}',
  s: ' \\t-\\r',
  S: '\\x00-\\x08\\x0e-\\x1f\\x21-\\x{10ffff}',
};

// RE2 cannot subtract one set from another, so the complement of letters, numbers and underscore is listed. The end of
// the list is all connector punctuation except the underscore.
function wordComplement(): string {
  const categories = '\\p{M}\\p{Pd}\\p{Ps}\\p{Pe}\\p{Pi}\\p{Pf}\\p{Po}\\p{S}\\p{Z}\\p{C}';
  return `${categories}\\x{203f}\\x{2040}\\x{2054}\\x{fe33}\\x{fe34}\\x{fe4d}-\\x{fe4f}\\x{ff3f}`;
}

function blankComplement(): string {
  return (
    '\\x00-\\x08\\x0e-\\x1b\\x21-\\x84\\x86-\\x9f\\xa1-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}' +
    '\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{10ffff}'
  );
}
