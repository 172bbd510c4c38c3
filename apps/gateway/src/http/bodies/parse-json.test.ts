import fc from 'fast-check';
import { HttpError } from '@millrace/http';
import { decodeJsonBytes, parseJson } from './parse-json';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const utf16 = (text: string, littleEndian = true): Buffer => {
  const bytes = Buffer.from(text, 'utf16le');
  return littleEndian ? bytes : bytes.swap16();
};
const utf32 = (text: string, littleEndian = true): Buffer =>
  Buffer.concat(
    [...text].map((character) => {
      const bytes = Buffer.alloc(4);
      const codePoint = character.codePointAt(0) ?? 0;
      if (littleEndian) bytes.writeUInt32LE(codePoint);
      else bytes.writeUInt32BE(codePoint);
      return bytes;
    }),
  );
const after = (mark: string, bytes: Buffer): Buffer => Buffer.concat([hex(mark), bytes]);

const MAXIMUM_MEMBERS = 100;

/** The error for refused bytes: the status and, for invalid JSON, the character offset and the reason. */
function refusal(bytes: Buffer): unknown {
  try {
    return { value: parseJson(bytes, MAXIMUM_MEMBERS) };
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    if (typeof error.detail === 'string') return error.status;
    const [item] = error.detail as readonly { readonly loc: readonly unknown[]; readonly ctx: object }[];
    return [error.status, item?.loc[1], Object.values(item?.ctx ?? {})[0]];
  }
}

const encodings: Readonly<Record<string, (text: string) => Buffer>> = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-8 with a mark': (text) => after('efbbbf', Buffer.from(text)),
  'UTF-16, little endian': (text) => utf16(text),
  'UTF-16, big endian': (text) => utf16(text, false),
  'UTF-16, little endian, with a mark': (text) => after('fffe', utf16(text)),
  'UTF-16, big endian, with a mark': (text) => after('feff', utf16(text, false)),
  'UTF-32, little endian': (text) => utf32(text),
  'UTF-32, big endian': (text) => utf32(text, false),
  'UTF-32, little endian, with a mark': (text) => after('fffe0000', utf32(text)),
  'UTF-32, big endian, with a mark': (text) => after('0000feff', utf32(text, false)),
};

test.each(Object.entries(encodings))('reads any JSON in %s', (_, encode) => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 3 }), (text) => {
      expect(decodeJsonBytes(encode(text))).toBe(text);
    }),
  );
});

test('reads ASCII as Node.js does, and never throws', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const text = decodeJsonBytes(Buffer.from(bytes));
      if (text !== null && bytes.length > 0 && bytes.every((byte) => byte > 0 && byte < 0x80))
        expect(text).toBe(Buffer.from(bytes).toString());
    }),
  );
});

// The answers of Langflow 1.11.0 and 1.13.0.
test.each([
  ['a mark alone', hex('efbbbf'), [422, 0, 'Expecting value']],
  ['a mark and a space', hex('efbbbf20'), [422, 1, 'Expecting value']],
  ['two marks', after('efbbbf', Buffer.from('\ufeff{}')), [422, 0, 'Expecting value']],
  ['a mark of UTF-16 alone', hex('fffe'), [422, 0, 'Expecting value']],
  ['a mark of UTF-32 alone', hex('0000feff'), [422, 0, 'Expecting value']],
  ['a mark after a space', Buffer.from(' \ufeff{}'), [422, 1, 'Expecting value']],
  ['half a character of UTF-16', Buffer.concat([utf16('{"a":1}'), hex('20')]), 400],
  ['the same after a mark', after('fffe', Buffer.concat([utf16('{}'), hex('20')])), 400],
  ['a part of a character of UTF-32', utf32('{}').subarray(0, 7), 400],
  ['no character of Unicode in UTF-32', Buffer.concat([utf32('{"a":"'), hex('00001100')]), 400],
  ['a digit in UTF-16', hex('3500'), { value: 5 }],
  ['a digit in UTF-16, big endian', hex('0035'), { value: 5 }],
  [
    'three bytes with a zero, which are UTF-8',
    hex('7b007d'),
    [422, 1, 'Expecting property name enclosed in double quotes'],
  ],
  ['one zero', hex('00'), [422, 0, 'Expecting value']],
  ['eight zeros', Buffer.alloc(8), [422, 0, 'Expecting value']],
  [
    'a raw zero in a string',
    Buffer.from('{"input_value":"a\0b"}'),
    [422, 17, 'Invalid control character at'],
  ],
  ['a zero at the end', Buffer.from('{"a":1}\0'), [422, 7, 'Extra data']],
  [
    'half a pair in UTF-8',
    Buffer.concat([Buffer.from('["a'), hex('eda080'), Buffer.from('b"]')]),
    [422, 3, 'unpaired surrogate in text'],
  ],
  ['half a pair outside of a string', hex('eda080'), [422, 0, 'Expecting value']],
  [
    'half a pair in UTF-16',
    Buffer.concat([utf16('["'), hex('00dc'), utf16('"]')]),
    [422, 2, 'unpaired surrogate in text'],
  ],
  [
    'half a pair in UTF-32',
    Buffer.concat([utf32('["'), hex('00d80000'), utf32('"]')]),
    [422, 2, 'unpaired surrogate in text'],
  ],
  [
    'half a pair at the end',
    Buffer.concat([utf16('{"a":"'), hex('3dd8')]),
    [422, 5, 'Unterminated string starting at'],
  ],
  ['half a pair as an escape', Buffer.from('["\\ud800"]'), [422, 2, 'unpaired surrogate in text']],
  [
    'the second half of a pair',
    Buffer.from('{"a":"\\uD83D\\uDE00\\uDE00"}'),
    [422, 18, 'unpaired surrogate in text'],
  ],
  ['half a pair in a name', Buffer.from('{"\\udfff":1}'), [422, 2, 'unpaired surrogate in text']],
  ['half a pair beside NaN', Buffer.from('[NaN,"\\ud800x"]'), [422, 6, 'unpaired surrogate in text']],
  ['a pair as escapes', Buffer.from('["\\ud83d\\ude00"]'), { value: ['😀'] }],
  ['an escaped backslash before the letters', Buffer.from('["\\\\ud800"]'), { value: ['\\ud800'] }],
  ['an overlong character', hex('7b2261223a22c0af227d'), 400],
  ['half a character of UTF-8', hex('7b2261223a22c3'), 400],
  ['a fault behind characters beyond the basic plane', Buffer.from('{"😀😀":}'), [422, 6, 'Expecting value']],
  ['the same in UTF-16', utf16('{"😀😀":}'), [422, 6, 'Expecting value']],
  ['the same in UTF-32', utf32('{"😀😀":}'), [422, 6, 'Expecting value']],
  ['an integer of too many digits', Buffer.from(`[NaN,${'9'.repeat(4_301)}]`), 400],
  [
    'NaN and the infinities',
    Buffer.from('[NaN,Infinity,-Infinity]'),
    { value: [Number.NaN, Infinity, -Infinity] },
  ],
  ['nan in small letters', Buffer.from('nan'), [422, 0, 'Expecting value']],
  ['an escaped NUL', Buffer.from('["😀\\u0000"]'), [422, 3, 'NUL character in text']],
  ['65 levels', Buffer.from(`["😀",${'['.repeat(64)}`), [422, 68, 'Nested deeper than 64 levels']],
])('%s', (_, bytes, expected) => {
  expect(refusal(bytes)).toEqual(expected);
});

test.each(Object.entries(encodings))('counts members in %s', (_, encode) => {
  const withMembers = (count: number) => encode(`{"ü,[":[${Array(count).fill('{"a":","}').join()}]}`);
  expect(refusal(withMembers(49))).toHaveProperty('value');
  expect(refusal(withMembers(50))).toBe(413);
});

test('the name __proto__ is an ordinary member', () => {
  expect(Object.keys(parseJson(Buffer.from('{"__proto__":NaN}'), MAXIMUM_MEMBERS) as object)).toEqual([
    '__proto__',
  ]);
});
