import { decodeText } from './decode-text';

const decode = (bytes: Buffer, type = ''): string =>
  decodeText({ headers: new Headers(type === '' ? {} : { 'content-type': type }), body: bytes });

test.each([
  ['the default, UTF-8,', Buffer.from('grün'), '', 'grün'],
  ['the fallback for invalid UTF-8, Latin 1,', Buffer.from('grün', 'latin1'), '', 'grün'],
  [
    'the header',
    Buffer.from('\xef\xf0\xe8\xe2\xe5\xf2', 'latin1'),
    'text/html; charset=windows-1251',
    'привет',
  ],
  ['a quoted name', Buffer.from('grün', 'latin1'), 'text/plain; charset="ISO-8859-1"', 'grün'],
  ['an unknown name', Buffer.from('grün'), 'text/plain; charset=x-unknown', 'grün'],
  ['a byte order mark', Buffer.from('\ufeffgrün', 'utf16le'), 'text/plain; charset=utf-8', 'grün'],
  ['HTML itself', Buffer.from('<meta charset="latin1">grün', 'latin1'), '', '<meta charset="latin1">grün'],
  ['XML itself', Buffer.from('<?xml encoding="latin1"?>é', 'latin1'), '', '<?xml encoding="latin1"?>é'],
])('%s determines the charset', (_what, bytes, type, text) => {
  expect(decode(bytes, type)).toBe(text);
});
