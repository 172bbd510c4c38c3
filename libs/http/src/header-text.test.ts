import { headerText } from './header-text';

test.each(['', 'plain', 'Grüße aus Köln', '東京', '😀 \u0080'])(
  '%j in UTF-8 is read as it was sent',
  (text) => {
    expect(headerText(Buffer.from(text).toString('latin1'))).toBe(text);
  },
);

test.each(['Gr\u00fc\u00dfe', '\u00ff', 'cut \u00e2\u0082'])(
  '%j, which is not UTF-8, is read as Latin-1',
  (text) => {
    expect(headerText(text)).toBe(text);
  },
);
