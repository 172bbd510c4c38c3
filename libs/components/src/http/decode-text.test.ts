import { decodeText } from './decode-text';

const decode = (bytes: Buffer, type = ''): string =>
  decodeText({ headers: new Headers(type === '' ? {} : { 'content-type': type }), body: bytes });

test.each([
  ['UTF-8 unless told otherwise', Buffer.from('grün'), '', 'grün'],
  ['what is no UTF-8 is Latin', Buffer.from('grün', 'latin1'), '', 'grün'],
  [
    'the header',
    Buffer.from('\xef\xf0\xe8\xe2\xe5\xf2', 'latin1'),
    'text/html; charset=windows-1251',
    'привет',
  ],
  ['a quoted name', Buffer.from('grün', 'latin1'), 'text/plain; charset="ISO-8859-1"', 'grün'],
  ['a name nobody knows', Buffer.from('grün'), 'text/plain; charset=x-nobody', 'grün'],
  ['a mark of the byte order', Buffer.from('\ufeffgrün', 'utf16le'), 'text/plain; charset=utf-8', 'grün'],
  ['HTML itself', Buffer.from('<meta charset="latin1">grün', 'latin1'), '', '<meta charset="latin1">grün'],
  ['XML itself', Buffer.from('<?xml encoding="latin1"?>é', 'latin1'), '', '<?xml encoding="latin1"?>é'],
])('%s says how to read bytes', (_what, bytes, type, text) => {
  expect(decode(bytes, type)).toBe(text);
});
