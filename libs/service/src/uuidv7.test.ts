import { uuidv7 } from './index';

test('ids contain the time, are unique, and sort in the order of their creation', () => {
  const before = Date.now();
  const ids = Array.from({ length: 50_000 }, uuidv7);
  const after = Date.now();
  expect(new Set(ids).size).toBe(ids.length);
  expect([...ids].sort()).toEqual(ids);
  for (const id of ids.slice(0, 100)) {
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    const milliseconds = parseInt(id.replace('-', '').slice(0, 12), 16);
    expect(milliseconds).toBeGreaterThanOrEqual(before);
    // Ids beyond 2,048 in one millisecond borrow the next one.
    expect(milliseconds).toBeLessThanOrEqual(after + 50);
  }
});
