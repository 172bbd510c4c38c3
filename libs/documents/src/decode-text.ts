import { isAscii, isUtf8 } from 'node:buffer';

/**
 * Decodes bytes in UTF-8, in UTF-16 (recognized by its byte order mark or its zero bytes), or else in Windows-1252.
 * Line ends become newlines, as in Python's text files.
 */
export function decodeText(content: Uint8Array): string {
  const encoding = encodingOf(content);
  const text = encoding === null ? fromWindows1252(content) : new TextDecoder(encoding).decode(content);
  return text.replaceAll(/\r\n?/g, '\n');
}

/** Returns the encoding by which `decodeText` decodes bytes, by Python's name. */
export function textEncoding(content: Uint8Array): string {
  const encoding = encodingOf(content);
  if (encoding === null) return 'cp1252';
  if (encoding !== 'utf-8') return 'utf-16';
  return content.length > 0 && isAscii(content) ? 'ascii' : encoding;
}

/** Returns null for Windows-1252. */
function encodingOf(content: Uint8Array): string | null {
  const [first, second] = content;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const start = content.subarray(0, 200);
  const zeros = [0, 1].map((side) => start.filter((byte, index) => byte === 0 && index % 2 === side).length);
  const [high = 0, low = 0] = zeros;
  if (high === 0 && low > start.length / 4) return 'utf-16le';
  if (low === 0 && high > start.length / 4) return 'utf-16be';
  return isUtf8(content) ? 'utf-8' : null;
}

/** The characters of Windows-1252 from 0x80 on, where Latin-1 has control characters. */
const beyondLatin1 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** A TextDecoder is not used, because some releases of Node treat Windows-1252 as Latin-1 there. */
function fromWindows1252(content: Uint8Array): string {
  const text = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('latin1');
  return text.replaceAll(
    /[\u0080-\u009f]/g,
    (character) => beyondLatin1[character.charCodeAt(0) - 0x80] ?? '',
  );
}
