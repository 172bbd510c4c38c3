import { numberColumn } from './number-column';

function numbers(...cells: readonly string[]): unknown {
  const work = numberColumn(cells);
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

test('reads the forms of a number', () => {
  expect(numbers('1', ' +2 ')).toEqual([1, 2]);
  expect(numbers('1.5', '.5', '-2.25e1')).toEqual([1.5, 0.5, -22.5]);
  expect(numbers('1.5', '1.')).toHaveLength(2);
  for (const text of ['.', '1.5.2', 'e1', '1e', '']) expect(numbers('1', text)).toBeNull();
});

test('takes linear time for digits that are no number', () => {
  const digits = '1'.repeat(1_000_000);
  for (const text of [`${digits}x`, `${digits}.${digits}x`, `.${digits}x`]) expect(numbers(text)).toBeNull();
});
