import fc from 'fast-check';
import { unstorableCharacter, unstorableCharacterInJson, unstorablePosition } from './unstorable-character';

const units = fc.constantFrom('a', '\u0000', '\ud83d', '\ude00', '\uffff', '\\', 'u0000', 'ud800', '"');
const text = fc.array(units, { maxLength: 6 }).map((parts) => parts.join(''));

test('finds the characters that PostgreSQL refuses, in any JSON text of any value', () => {
  fc.assert(
    fc.property(fc.dictionary(text, text, { maxKeys: 3 }), fc.boolean(), (value, escapes) => {
      const all = Object.entries(value).flat();
      const isStorable = all.every((one) => !one.includes('\u0000') && one.isWellFormed());
      const plain = JSON.stringify(value);
      const json = escapes
        ? plain.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).toUpperCase()}`)
        : plain;
      expect(unstorableCharacterInJson(json, JSON.parse(json)) === null).toBe(isStorable);
      expect(all.every((one) => unstorableCharacter(one) === null)).toBe(isStorable);
    }),
  );
});

test.each([
  ['"ab\\u0000"', 3],
  ['"\\ud83d\\ude00\\ud83d"', 13],
  ['"\\uDE00"', 1],
  ['"😀\ud800"', 3],
  ['"x"', 0],
])('the place in %j is %d', (json, position) => {
  expect(unstorablePosition(json)).toBe(position);
});
