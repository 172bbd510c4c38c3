import fc from 'fast-check';
import { codePointCount, codePointOffset } from './code-points';

const texts = fc
  .array(fc.constantFrom('a', 'é', '😀', '\ud83d', '\ude00'), { maxLength: 12 })
  .map((all) => all.join(''));

test('counts and slices a text by code points', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 0, max: 15 }), (text, count) => {
      const points = [...text];
      expect(codePointCount(text)).toBe(points.length);
      expect(text.slice(0, codePointOffset(text, count))).toBe(points.slice(0, count).join(''));
      if (count === 0) return;
      expect(text.slice(0, codePointOffset(text, -count))).toBe(points.slice(0, -count).join(''));
      expect(text.slice(codePointOffset(text, -count))).toBe(points.slice(-count).join(''));
    }),
  );
});
