import { isAscii } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { ComponentError } from '@millrace/flow';

/** A byte is the character with its number. */
const latin1 = new Set(['latin-1', 'latin1', 'iso-8859-1', 'iso8859-1', 'l1']);

/** Names of Python that the Encoding Standard does not know, and its names for the same encodings. */
const otherNames: Readonly<Record<string, string>> = {
  'utf-8-sig': 'utf-8',
  utf8: 'utf-8',
  'utf-16': 'utf-16le',
  'utf-16-le': 'utf-16le',
  'utf-16-be': 'utf-16be',
  'mac-roman': 'macintosh',
  'shift-jis': 'shift_jis',
  sjis: 'shift_jis',
  cp932: 'shift_jis',
  cp936: 'gbk',
  cp949: 'euc-kr',
  cp950: 'big5',
  'euc-jp': 'euc-jp',
};

/**
 * Decodes bytes in an encoding by its name in Python. Line ends become newlines. Throws a ComponentError for an unknown
 * name, and for bytes that are not of this encoding.
 */
export function decodeTextAs(content: Uint8Array, name: string): string {
  const known = name.trim().toLowerCase().replaceAll('_', '-');
  return decoded(content, known, name).replaceAll(/\r\n?/g, '\n');
}

function decoded(content: Uint8Array, known: string, name: string): string {
  if (latin1.has(known)) {
    return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('latin1');
  }
  if (known === 'ascii' || known === 'us-ascii') {
    if (isAscii(content)) return new TextDecoder().decode(content);
    throw notOf('ascii');
  }
  const startsBigEndian = known === 'utf-16' && content[0] === 0xfe && content[1] === 0xff;
  const decoder = decoderOf(startsBigEndian ? 'utf-16be' : (otherNames[known] ?? known), name);
  try {
    return decoder.decode(content);
  } catch (error) {
    throw notOf(known, error);
  }
}

function decoderOf(label: string, name: string): TextDecoder {
  try {
    return new TextDecoder(label, { fatal: true });
  } catch (error) {
    throw new ComponentError(`unknown encoding: ${name}`, error);
  }
}

function notOf(name: string, cause?: unknown): ComponentError {
  return new ComponentError(`'${name}' codec can't decode the bytes of the file`, cause);
}
