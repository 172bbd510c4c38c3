import { setTimeout as pause } from 'node:timers/promises';
import { TimeoutError, withDeadline } from '../index';

test('returns the outcome of work that ends in time', async () => {
  await expect(withDeadline(Promise.resolve(7), 1000, 'late')).resolves.toBe(7);
  await expect(withDeadline(Promise.reject(new Error('failed')), 1000, 'late')).rejects.toThrow('failed');
});

test('rejects late work with a code, and ignores its late failure', async () => {
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error('much later')), 40));
  const refusal = await withDeadline(late, 10, 'the store did not answer').catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(TimeoutError);
  expect(refusal).toMatchObject({ code: 'timed_out', message: 'the store did not answer' });
  await pause(60);
});
