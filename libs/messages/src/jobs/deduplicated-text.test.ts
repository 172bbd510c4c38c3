import fc from 'fast-check';
import {
  readDeduplicatedText,
  DeduplicatedText,
  LongTexts,
  writeDeduplicatedText,
} from './deduplicated-text';

const buffers = (texts: readonly string[]) => texts.map((text) => Buffer.from(text));

const deduplicatedTexts = fc
  .tuple(
    fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }),
    fc.array(fc.tuple(fc.string(), fc.nat())),
  )
  .map(([texts, places]) => {
    const order = places.map(([, place]) => place % texts.length);
    return new DeduplicatedText(buffers(texts), buffers([...places.map(([piece]) => piece), 'end']), order);
  });

const written = (value: unknown, texts: readonly string[]) =>
  (new LongTexts(texts).write(value) ?? JSON.stringify(value)).toString();

test('is the same text in each form, and after it was sent', () => {
  fc.assert(
    fc.property(deduplicatedTexts, (text) => {
      const { layout, body } = writeDeduplicatedText(text);
      const read = readDeduplicatedText(layout, body);
      const whole = Buffer.concat(text.slices()).toString();
      expect([text.toString(), read.toString(), read.toBuffer().toString()]).toEqual([whole, whole, whole]);
      expect([text.length, read.length]).toEqual([text.toBuffer().length, text.toBuffer().length]);
    }),
  );
});

test('holds and sends a text once, however often it occurs', () => {
  const long = 'é'.repeat(1_000);
  const text = new DeduplicatedText(buffers([long]), buffers(['["', '","', '","', '"]']), [0, 0, 0]);
  expect(JSON.parse(text.toString())).toEqual([long, long, long]);
  expect(text.length).toBe(6_010);
  expect(writeDeduplicatedText(text).body.length).toBe(2_010);
  expect(new Set(text.slices()).size).toBe(5);
});

test('writes marks in place of the long texts', () => {
  const text = new DeduplicatedText(buffers(['one', 'two']), buffers(['<', '|', '>']), [1, 0]);
  expect(text.marked((index) => `(${index})`)).toBe('<(1)|(0)>');
});

test.each([
  ['[[1],[1,1],[0]]', 'too long', 'has a layout of 3 bytes'],
  ['[[1],[1,1],[1]]', 'abc', 'there is no text 1'],
  ['[[1],[1],[0]]', 'ab', '1 pieces do not surround 1 texts'],
  ['[[1', 'ab', 'JSON'],
])('refuses the layout %s', (layout, body, reason) => {
  expect(() => readDeduplicatedText(layout, Buffer.from(body))).toThrow(reason);
});

test('writes the JSON of a value, whichever texts are long', () => {
  const characters = fc.constantFrom('x', '"', '\\', 'é', '\u0000', '😀', '\ud800', '\u2028');
  const shortTexts = fc.array(fc.tuple(characters, fc.string()), { maxLength: 3 });
  fc.assert(
    fc.property(shortTexts, fc.jsonValue(), fc.array(fc.nat(2)), (shorts, other, picks) => {
      // Made here, so that a report of a counterexample is short.
      const texts = shorts.map(([character, end]) => character.repeat(17_000) + end);
      const picked = picks.map((pick) => texts[pick]);
      const answer = {
        other,
        [`${picks.length}`]: picked,
        last: [other, picked.at(-1), { nested: picked[0] }],
      };
      return [answer, picked[0] ?? other].every(
        (value) => written(value, [...texts, ...texts]) === JSON.stringify(value),
      );
    }),
    { numRuns: 300 },
  );
});

test('leaves out what JSON.stringify leaves out, and lets objects write themselves', () => {
  const text = 'x'.repeat(20_000);
  const answer = {
    text,
    left: undefined,
    date: new Date(0),
    list: [undefined, text, { toJSON: () => text }],
  };
  expect(written(answer, [text])).toBe(JSON.stringify(answer));
});

test('escapes a text once for all values', () => {
  const texts = new LongTexts(['short', '"'.repeat(3_000)]);
  const [one, other] = ['short', '"'.repeat(3_000)].map((text) => texts.write({ text }));
  expect(one?.texts[0]).toBe(other?.texts[0]);
  expect([texts.has('short'), texts.has('"'.repeat(3_000))]).toEqual([false, true]);
  expect(new LongTexts(['short']).write('short')).toBeNull();
});
