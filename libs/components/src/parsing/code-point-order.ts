/** Python orders texts by code points, JavaScript by UTF-16 code units. */
export function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  let offset = 0;
  while (offset < one.length && one.charCodeAt(offset) === other.charCodeAt(offset)) offset += 1;
  // Go back to the start of a surrogate pair.
  if (offset > 0 && /[\ud800-\udbff]/.test(one.charAt(offset - 1))) offset -= 1;
  return (one.codePointAt(offset) ?? -1) - (other.codePointAt(offset) ?? -1);
}
