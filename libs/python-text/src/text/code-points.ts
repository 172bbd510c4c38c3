/** Returns the length of a text as Python counts it: in code points; an unpaired surrogate counts as one. */
export function codePointCount(text: string): number {
  let count = text.length;
  for (let index = 0; index + 1 < text.length; index += 1) {
    if (isHigh(text.charCodeAt(index)) && isLow(text.charCodeAt(index + 1))) {
      count -= 1;
      index += 1;
    }
  }
  return count;
}

/**
 * Returns the offset, in UTF-16 code units, after `count` code points from the start of a text, or from its end for a
 * negative count; the end of the text (or its start) if the text is shorter.
 */
export function codePointOffset(text: string, count: number): number {
  if (count < 0) return offsetFromEnd(text, -count);
  let offset = 0;
  for (let passed = 0; passed < count && offset < text.length; passed += 1) {
    offset += isHigh(text.charCodeAt(offset)) && isLow(text.charCodeAt(offset + 1)) ? 2 : 1;
  }
  return offset;
}

function offsetFromEnd(text: string, count: number): number {
  let offset = text.length;
  for (let passed = 0; passed < count && offset > 0; passed += 1) {
    offset -= isLow(text.charCodeAt(offset - 1)) && isHigh(text.charCodeAt(offset - 2)) ? 2 : 1;
  }
  return offset;
}

function isHigh(codeUnit: number): boolean {
  return codeUnit >= 0xd800 && codeUnit <= 0xdbff;
}

function isLow(codeUnit: number): boolean {
  return codeUnit >= 0xdc00 && codeUnit <= 0xdfff;
}
