import type { Database } from '@millrace/database';
import { RunError } from '@millrace/flow';
import { PythonBusyError, PythonEndedError } from '@millrace/python';
import { causedByOutage, lackedPython, toRunFailure } from './run-failure';
import { openTestDatabase } from '../testing/test-installation';

let database: Database;

beforeAll(async () => {
  database = await openTestDatabase();
}, 60_000);

afterAll(() => database.close());

/** A run that failed because the server refused a statement with this state. */
async function failureWith(state: string): Promise<RunError> {
  const text = `DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${state}'; END $$`;
  const cause: unknown = await database.query({ text }).catch((error: unknown) => error);
  return new RunError('internal', 'An effect of the run could not be recorded.', { cause });
}

test.each(['53100', '53200', '25006', '57P01', '57P03', '08006', '58030', '40001', '40P01'])(
  'SQLSTATE %s releases the attempt',
  async (state) => {
    const failure = await failureWith(state);
    expect(causedByOutage(failure)).toBe(true);
    expect(toRunFailure(failure).code).toBe('database_unavailable');
  },
);

test.each(['23505', '22021', '42601', 'XX000'])('SQLSTATE %s ends the run', async (state) => {
  const failure = await failureWith(state);
  expect(causedByOutage(failure)).toBe(false);
  expect(toRunFailure(failure).code).toBe('internal');
});

test.each([
  ['releases the attempt', {}, true],
  ['ends the run when it is permanent', { permanent: true }, false],
])('a process of Python that ended %s', (_, options, isReleased) => {
  const cause = new PythonEndedError('The Python process ended: signal SIGKILL', options);
  const failure = new RunError('component_failed', cause.message, { cause });
  expect(lackedPython(failure)).toBe(isReleased);
  expect(causedByOutage(failure)).toBe(false);
  expect(toRunFailure(failure)).toMatchObject({ code: 'component_failed', message: cause.message });
});

test('a run without a free process of Python releases the attempt; its failure has a code of its own', () => {
  const cause = new PythonBusyError('No Python process was free within 5 s.');
  const vertex = { id: 'Mine-1', displayName: 'Mine', type: 'Mine' };
  const inner = new RunError('component_failed', `Error building Component: ${cause.message}`, { cause });
  const failure = new RunError('component_failed', 'Error running flow: inner', { cause: inner, vertex });
  expect(lackedPython(failure)).toBe(true);
  expect(toRunFailure(failure)).toEqual({
    code: 'python_busy',
    message: 'No Python process was free within 5 s.',
    vertex,
    problems: [],
  });
});
