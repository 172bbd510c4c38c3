import { isUtf8 } from 'node:buffer';

/**
 * Decodes JSON bytes as Python's json module does: a byte order mark or zeros among the first four bytes indicate
 * UTF-16 and UTF-32, everything else is UTF-8. Lone surrogates are accepted in each encoding. Returns null when the
 * bytes cannot be decoded.
 */
export function decodeJsonBytes(body: Buffer): string | null {
  const first = body[0] ?? 1;
  const second = body[1] ?? 1;
  // Nearly all bodies are plain UTF-8, which their first two bytes show.
  if (first !== 0 && second !== 0 && first < 0xef) return decodeUtf8(body);
  if (startsWith(body, [0, 0, 0xfe, 0xff])) return decodeUtf32(body.subarray(4), false);
  if (startsWith(body, [0xff, 0xfe, 0, 0])) return decodeUtf32(body.subarray(4), true);
  if (startsWith(body, [0xfe, 0xff])) return decodeUtf16(body.subarray(2), false);
  if (startsWith(body, [0xff, 0xfe])) return decodeUtf16(body.subarray(2), true);
  if (startsWith(body, [0xef, 0xbb, 0xbf])) return decodeUtf8(body.subarray(3));
  return decodeByZeros(body);
}

/** JSON begins with an ASCII character, so the zeros next to it show the width and byte order of characters. */
function decodeByZeros(body: Buffer): string | null {
  const [first, second, third, fourth] = body;
  if (body.length >= 4) {
    if (first === 0) return second === 0 ? decodeUtf32(body, false) : decodeUtf16(body, false);
    if (second === 0) return third === 0 && fourth === 0 ? decodeUtf32(body, true) : decodeUtf16(body, true);
  } else if (body.length === 2 && (first === 0 || second === 0)) return decodeUtf16(body, first !== 0);
  return decodeUtf8(body);
}

function startsWith(body: Buffer, mark: readonly number[]): boolean {
  return mark.every((byte, index) => body[index] === byte);
}

function decodeUtf8(body: Buffer): string | null {
  return isUtf8(body) ? body.toString('utf8') : decodeUtf8WithSurrogates(body);
}

/** Decodes lone surrogates, which only Python's `surrogatepass` accepts in UTF-8: ED, A0 to BF, 80 to BF. */
function decodeUtf8WithSurrogates(body: Buffer): string | null {
  const parts: string[] = [];
  let begin = 0;
  const addUpTo = (end: number): boolean => {
    const part = body.subarray(begin, end);
    parts.push(part.toString('utf8'));
    return isUtf8(part);
  };
  for (let index = body.indexOf(0xed); index >= 0; index = body.indexOf(0xed, index + 1)) {
    const [middle = 0, last = 0] = body.subarray(index + 1, index + 3);
    if (middle < 0xa0 || middle > 0xbf || last < 0x80 || last > 0xbf) continue;
    if (!addUpTo(index)) return null;
    parts.push(String.fromCharCode(0xd000 | ((middle & 0x3f) << 6) | (last & 0x3f)));
    begin = index + 3;
  }
  return addUpTo(body.length) ? parts.join('') : null;
}

function decodeUtf16(body: Buffer, isLittleEndian: boolean): string | null {
  if (body.length % 2 !== 0) return null;
  return (isLittleEndian ? body : Buffer.from(body).swap16()).toString('utf16le');
}

function decodeUtf32(body: Buffer, isLittleEndian: boolean): string | null {
  if (body.length % 4 !== 0) return null;
  // A character never needs more bytes in UTF-16.
  const units = Buffer.allocUnsafe(body.length);
  let length = 0;
  for (let index = 0; index < body.length; index += 4) {
    const codePoint = isLittleEndian ? body.readUInt32LE(index) : body.readUInt32BE(index);
    if (codePoint > 0x10ffff) return null;
    if (codePoint > 0xffff) {
      length = units.writeUInt16LE(0xd800 + ((codePoint - 0x10000) >> 10), length);
      length = units.writeUInt16LE(0xdc00 + (codePoint & 0x3ff), length);
    } else length = units.writeUInt16LE(codePoint, length);
  }
  return units.toString('utf16le', 0, length);
}
