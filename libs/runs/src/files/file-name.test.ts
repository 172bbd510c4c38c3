import { fileName } from './file-name';

test.each([
  ['a.txt', 'a', '.txt'],
  ['archive.tar.gz', 'archive.tar', '.gz'],
  ['no extension', 'no extension', ''],
  ['.env', '.env', ''],
  ['..', 'file', ''],
  ['', 'file', ''],
  ['../../etc/passwd', '.._.._etc_passwd', ''],
  ['zero\u0000.txt', 'zero_', '.txt'],
  ['Größe 😀.png', 'Größe 😀', '.png'],
])('%j is stored as %j with %j', (given, name, extension) => {
  const stored = fileName(given);
  expect(stored.name + stored.extension).toBe(name + extension);
});

test('truncates long names, but never within a character', () => {
  expect(fileName(`${'x'.repeat(300)}.txt`)).toEqual({ name: 'x'.repeat(255), extension: '.txt' });
  expect(fileName(`${'x'.repeat(254)}😀`).name).toBe('x'.repeat(254));
});

test('an extension has up to 40 characters with its dot, and ends no name', () => {
  const [longest, longer] = [39, 40].map((length) => `.${'x'.repeat(length)}`);
  expect(fileName(`a${longest}`)).toEqual({ name: 'a', extension: longest });
  expect(fileName(`a${longer}`)).toEqual({ name: `a${longer}`, extension: '' });
  expect(fileName(' a. ')).toEqual({ name: 'a.', extension: '' });
  expect(fileName('..a')).toEqual({ name: 'file', extension: '.a' });
});
