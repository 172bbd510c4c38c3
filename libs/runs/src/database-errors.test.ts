import { DatabaseConflictError, DatabaseError, DatabaseUnavailableError } from '@millrace/database';
import { DuplicateError } from './duplicate-error';
import { isLockTimeout } from './lock-timeout';
import { retryOnDeadlock } from './retry-on-deadlock';
import { translateConstraintErrors } from './translate-constraint-errors';
import { UnstorableTextError } from './unstorable-text-error';

const lockTimeout = new DatabaseUnavailableError('x', { sqlState: '55P03' });

/** The tries of work that fails with these errors and then succeeds, and its end. */
async function triesOf(...errors: readonly Error[]): Promise<readonly [number, unknown]> {
  let tries = 0;
  const end = await retryOnDeadlock(async () => {
    const error = errors[tries];
    tries += 1;
    if (error !== undefined) throw error;
    return 'done';
  }).catch((error: unknown) => error);
  return [tries, end];
}

test('work that a deadlock ended is tried four times, and no other work', async () => {
  const deadlocks = Array.from({ length: 4 }, (_, index) => new DatabaseConflictError(`${index}`));
  expect(await triesOf()).toEqual([1, 'done']);
  expect(await triesOf(...deadlocks.slice(0, 3))).toEqual([4, 'done']);
  expect(await triesOf(...deadlocks)).toEqual([4, deadlocks[3]]);
  const others = [new DatabaseError('x', '23505'), new DatabaseUnavailableError('x'), lockTimeout];
  for (const error of others) expect(await triesOf(error)).toEqual([1, error]);
});

test('a lock that was not obtained in time is known by its state', () => {
  const others = [new DatabaseUnavailableError('x', { sqlState: '53100' }), new DatabaseError('x', '55P03')];
  expect([lockTimeout, ...others, null].map(isLockTimeout)).toEqual([true, false, false, false]);
});

test.each([
  ['a duplicate', '23505', 'flows_name', DuplicateError, 'another record has this name'],
  ['a duplicate of another constraint', '23505', 'other', DatabaseError, 'x'],
  ['a duplicate without a constraint', '23505', undefined, DatabaseError, 'x'],
  ['a broken reference', '23503', 'flows_name', DatabaseError, 'x'],
  [
    'a character that cannot be stored',
    '22021',
    undefined,
    UnstorableTextError,
    'A value contains characters that cannot be stored.',
  ],
])('%s has this error', async (_what, state, constraint, type, message) => {
  const cause = new DatabaseError('x', state, constraint);
  const translated = translateConstraintErrors({ flows_name: 'name' }, () => Promise.reject(cause));
  const error: unknown = await translated.catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(type);
  expect(error).toMatchObject({ message, ...(type === DatabaseError ? {} : { cause }) });
});

test('an error that is not of the database, and a result, stay as they are', async () => {
  const error = new TypeError('x');
  await expect(translateConstraintErrors({}, () => Promise.reject(error))).rejects.toBe(error);
  await expect(translateConstraintErrors({}, async () => 7)).resolves.toBe(7);
});
