import { breakpoint } from './semantic-breakpoint';

const distances = [0.1, 0.5, 0.2, 0.9];
const rule = { type: 'percentile', amount: 50, chunks: null };

// The numbers are those of numpy.
test.each([
  [rule, 0.35],
  [{ ...rule, amount: 95 }, 0.84],
  [{ ...rule, type: 'standard_deviation', amount: 1 }, 0.7362475],
  [{ ...rule, type: 'interquartile', amount: 1.5 }, 1.0625],
  [{ ...rule, chunks: 1 }, 0.9],
  [{ ...rule, chunks: 2 }, 0.5],
  [{ ...rule, chunks: 4 }, 0.1],
  [{ ...rule, chunks: 99 }, 0.1],
])('the breakpoint of %j is %p', (given, expected) => {
  expect(breakpoint(distances, given)).toBeCloseTo(expected, 5);
});

test('refuses another type', () => {
  expect(() => breakpoint(distances, { ...rule, type: 'other' })).toThrow(
    'An error occurred during semantic splitting: Got unexpected `breakpoint_threshold_type`: other',
  );
});
