const simple = /^[ !#-&(-[\]-~]*$/;
// Characters that repr can escape: quotes, backslashes, and all that Python does not consider printable (except the
// space).
const special = /['"\\]|[\p{C}\p{Z}]/gu;
const notAscii = /[^\x20-\x7e]/gu;

const shortEscapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  ' ': ' ',
};

/** Returns Python's `repr` of a string: in single quotes, or in double quotes when only single quotes occur in it. */
export function stringRepr(text: string): string {
  if (simple.test(text)) return `'${text}'`;
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replace(special, (character) => {
    if (character === quote) return `\\${character}`;
    if (character === '"' || character === "'") return character;
    return shortEscapes[character] ?? codePointEscape(character);
  });
  return `${quote}${body}${quote}`;
}

/** Escapes non-ASCII characters in the result of a `repr`, as Python's `ascii` does. */
export function asciiOnly(representation: string): string {
  return representation.replace(notAscii, codePointEscape);
}

function codePointEscape(character: string): string {
  const hexadecimal = (character.codePointAt(0) ?? 0).toString(16);
  if (hexadecimal.length <= 2) return `\\x${hexadecimal.padStart(2, '0')}`;
  if (hexadecimal.length <= 4) return `\\u${hexadecimal.padStart(4, '0')}`;
  return `\\U${hexadecimal.padStart(8, '0')}`;
}
