import { elapsedText } from './elapsed-text';

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1_000, '1.0 second'],
  [1_260, '1.3 seconds'],
  [59_900, '59.9 seconds'],
  [60_000, '1 minute, 0.0 seconds'],
  [61_000, '1 minute, 1.0 second'],
  [3_723_400, '62 minutes, 3.4 seconds'],
])('%p milliseconds are %p', (milliseconds, text) => {
  expect(elapsedText(milliseconds)).toBe(text);
});
