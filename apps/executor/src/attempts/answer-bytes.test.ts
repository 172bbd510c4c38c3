import fc from 'fast-check';
import { answerBytes } from './answer-bytes';

const written = (answer: unknown, texts: readonly string[], maximumBytes = Infinity) =>
  answerBytes(answer, { texts, maximumBytes }).toString();

test('is the JSON of the answer, whichever texts are long', () => {
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

test('keeps what JSON.stringify leaves out, and how objects write themselves', () => {
  const text = 'x'.repeat(20_000);
  const answer = {
    text,
    left: undefined,
    date: new Date(0),
    list: [undefined, text, { toJSON: () => text }],
  };
  expect(written(answer, [text])).toBe(JSON.stringify(answer));
});

test('refuses more bytes than the limit', () => {
  const text = 'é'.repeat(20_000);
  const { length } = Buffer.from(JSON.stringify([text, text]));
  expect(written([text, text], [text], length)).toBe(JSON.stringify([text, text]));
  const refused = () => written([text, text], [text], length - 1);
  expect(refused).toThrow(expect.objectContaining({ code: 'output_too_large' }));
  expect(() => written('short', [], 6)).toThrow('The response is larger than 6 bytes.');
});
