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
