import { AdaptiveBatch } from './adaptive-batch';

const options = { minimum: 20, maximum: 500, milliseconds: 20 };

/** Repeats batches that take so long per row; returns the sizes. */
function sizesOf(batch: AdaptiveBatch, times: number, millisecondsPerRow: number): number[] {
  return Array.from({ length: times }, () => {
    const { size } = batch;
    batch.measured(size, size * millisecondsPerRow);
    return batch.size;
  });
}

test('a fast database gets larger batches, a slow one the smallest', () => {
  const batch = new AdaptiveBatch(options);
  expect(batch.size).toBe(20);
  expect(sizesOf(batch, 40, 0.01).at(-1)).toBe(500);
  expect(sizesOf(batch, 10, 0.2).at(-1)).toBe(100);
  expect(sizesOf(batch, 10, 10).at(-1)).toBe(20);
});

test('the size shrinks at once and grows slowly', () => {
  const batch = new AdaptiveBatch(options);
  sizesOf(batch, 40, 0.01);
  batch.measured(500, 200);
  expect(batch.size).toBe(50);
  batch.measured(50, 1);
  expect(batch.size).toBe(62);
});

test('a batch that found less than it could does not let the size grow', () => {
  const batch = new AdaptiveBatch(options);
  batch.measured(3, 0.5);
  expect(batch.size).toBe(20);
});
