import type { RunEnd, RunFailure } from '@millrace/messages';
import { runFailureError } from './run-failure-error';

const TEXT = 'What the executor says.';
const OVERDUE = 'The run did not end within its deadline.';
const CRASHED = 'Every attempt of the run crashed its executor; the run was marked dead.';

test.each([
  ['failed', 'not_answered', 'not_answered', TEXT, undefined],
  ['timed_out', 'internal', 'deadline_exceeded', OVERDUE, undefined],
  ['failed', 'deadline_exceeded', 'deadline_exceeded', OVERDUE, undefined],
  ['cancelled', 'internal', 'cancelled', 'The run was cancelled.', '1'],
  ['failed', 'cancelled', 'cancelled', 'The run was cancelled.', '1'],
  ['dead', 'internal', 'attempts_exhausted', CRASHED, undefined],
  ['failed', 'attempts_exhausted', 'attempts_exhausted', CRASHED, undefined],
  ['failed', 'human_input_unsupported', 'human_input_unsupported', TEXT, undefined],
  ['failed', 'database_unavailable', 'database_unavailable', 'The database is not available.', '1'],
  ['failed', 'object_store_unavailable', 'object_store_unavailable', TEXT, '1'],
  ['failed', 'secret_store_unavailable', 'secret_store_unavailable', TEXT, '1'],
  ['failed', 'python_busy', 'python_busy', TEXT, '2'],
  ['failed', 'too_many_vertices', 'too_many_vertices', TEXT, undefined],
  ['failed', 'internal', 'internal', 'Internal Server Error', undefined],
] as const)('a run that ended as %s with %s is the error %s', (status, failed, code, text, seconds) => {
  const failure: RunFailure = { code: failed, message: TEXT, vertex: null, problems: [] };
  const error = runFailureError(status satisfies RunEnd, failure, 'advanced');
  expect([error.code, error.message, error.headers['retry-after']]).toEqual([code, text, seconds]);
});
