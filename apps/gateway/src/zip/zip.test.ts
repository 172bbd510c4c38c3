import fc from 'fast-check';
import { isZip, readZip, ZipError } from './read-zip';
import { writeZip } from './write-zip';

const limits = { maximumMembers: 10, maximumBytes: 100_000 };
const all = () => true;
const PYTHON_ARCHIVE =
  'UEsDBBQAAAAAAAAAIVy1e0/yDwAAAA8AAAALAAAAc3RvcmVkLmpzb257Im5hbWUiOiAib25lIn1QSwMEFAAAAAgAAA' +
  'AhXLJpaQsRAAAAcAAAAA0AAABkZWZsYXRlZC5qc29uq1bKS8xNVbJSUKqgA1CqBQBQSwECFAMUAAAAAAAAACFctXtP' +
  '8g8AAAAPAAAACwAAAAAAAAAAAAAAgAEAAAAAc3RvcmVkLmpzb25QSwECFAMUAAAACAAAACFcsmlpCxEAAABwAAAADQ' +
  'AAAAAAAAAAAAAAgAE4AAAAZGVmbGF0ZWQuanNvblBLBQYAAAAAAgACAHQAAAB0AAAACQBhIGNvbW1lbnQ=';

test('a written archive is read back', () => {
  const members = [
    { name: 'Größe.json', content: Buffer.from('{"a": 1}') },
    { name: 'empty', content: Buffer.alloc(0) },
    { name: 'long.txt', content: Buffer.alloc(50_000, 'abc') },
  ];
  const archive = writeZip(members);
  expect(isZip(archive)).toBe(true);
  expect(archive.length).toBeLessThan(1_000);
  expect(readZip(archive, limits, all)).toEqual(members);
  expect(readZip(archive, limits, (name) => name.endsWith('.json'))).toEqual([members[0]]);
  expect(readZip(writeZip([]), limits, all)).toEqual([]);
});

test('an archive that Python wrote, with a comment, is read', () => {
  const archive = Buffer.from(PYTHON_ARCHIVE, 'base64');
  expect(readZip(archive, limits, all).map(({ name, content }) => [name, content.toString()])).toEqual([
    ['stored.json', '{"name": "one"}'],
    ['deflated.json', `{"name": "${'x'.repeat(100)}"}`],
  ]);
});

test('a zip bomb is refused before it is unpacked', () => {
  const bomb = writeZip([{ name: 'b', content: Buffer.alloc(100_001) }]);
  expect(() => readZip(bomb, limits, all)).toThrow(ZipError);
  const falseSize = writeZip([{ name: 'b', content: Buffer.alloc(5_000_000) }]);
  falseSize.writeUInt32LE(10, falseSize.lastIndexOf('PK\u0001\u0002') + 24);
  expect(() => readZip(falseSize, limits, all)).toThrow('b is damaged');
  const many = Array.from({ length: 11 }, (_, index) => ({ name: `${index}`, content: Buffer.alloc(1) }));
  expect(() => readZip(writeZip(many), limits, all)).toThrow('it has more than 10 members');
});

test.each([
  ['END', 0, 0, 'it has no directory'],
  ['END', 16, 1, 'its directory is damaged'],
  ['END', 16, 0x0fff_ffff, 'it is truncated'],
  ['CENTRAL', 0, 0, 'its directory is damaged'],
  ['CENTRAL', 8, 1, 'a is encrypted'],
  ['CENTRAL', 10, 1, 'a has an unknown compression method'],
  ['CENTRAL', 16, 1, 'a is damaged'],
  ['CENTRAL', 20, 0x0fff_ffff, 'it is truncated'],
  ['CENTRAL', 24, 2, 'a is damaged'],
  ['CENTRAL', 24, 100_001, 'it is too large when unpacked'],
  ['CENTRAL', 42, 1, 'a is missing'],
] as const)('%s: the number at %i is %i: %s', (record, at, value, reason) => {
  const archive = writeZip([{ name: 'a', content: Buffer.from('abc') }]);
  const start = archive.lastIndexOf(record === 'END' ? 'PK\u0005\u0006' : 'PK\u0001\u0002');
  // Two bytes for the flags and for the method, which are followed by others.
  if (at === 8 || at === 10) archive.writeUInt16LE(value, start + at);
  else archive.writeUInt32LE(value, start + at);
  expect(() => readZip(archive, limits, all)).toThrow(
    expect.objectContaining({ code: 'zip_unreadable', message: reason }),
  );
});

test('the bound of bytes is that of all members together', () => {
  const two = writeZip(['a', 'b'].map((name) => ({ name, content: Buffer.alloc(50_000) })));
  expect(readZip(two, limits, all)).toHaveLength(2);
  expect(() => readZip(two, { ...limits, maximumBytes: 99_999 }, all)).toThrow(
    'it is too large when unpacked',
  );
  const ten = writeZip(
    Array.from({ length: 10 }, (_, index) => ({ name: `${index}`, content: Buffer.alloc(0) })),
  );
  expect(readZip(ten, limits, all)).toHaveLength(10);
});

test.each(['', 'PK', 'text that is longer than the record of an end'])('%j is no archive', (text) => {
  expect(isZip(Buffer.from(text))).toBe(false);
  expect(() => readZip(Buffer.from(text), limits, all)).toThrow('it has no directory');
});

test('a damaged archive throws no error other than ZipError', () => {
  const archive = writeZip([
    { name: 'a.json', content: Buffer.from('{"a": [1, 2, 3]}') },
    { name: 'b.json', content: Buffer.alloc(300, 'b') },
  ]);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(archive.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
      fc.nat(archive.length),
      (changes, length) => {
        const damaged = Buffer.from(archive);
        for (const [at, byte] of changes) damaged[at] = byte;
        for (const bytes of [damaged, archive.subarray(0, length)]) {
          try {
            readZip(bytes, limits, all);
          } catch (error) {
            expect(error).toBeInstanceOf(ZipError);
          }
        }
      },
    ),
    { numRuns: 500 },
  );
});
