import type { RunEnd, RunFailure } from '@millrace/messages';
import type { RunRequest } from '@millrace/flow';
import { HttpError } from '@millrace/http';

/** Failures whose text is meant for the flow's author; Langflow's clients read it. */
const AUTHOR_FAILURES = new Set([
  'component_failed',
  'tweak_invalid',
  'budget_exceeded',
  'output_type_missing',
  'too_many_vertices',
  'output_too_large',
  'deadlocked',
] as const);
type AuthorFailure = typeof AUTHOR_FAILURES extends Set<infer Code> ? Code : never;

/** Returns the error for a run that ended without a result. */
export function runFailureError(status: RunEnd, failure: RunFailure, form: RunRequest['form']): HttpError {
  if (failure.code === 'not_answered') return new HttpError('not_answered', failure.message);
  if (status === 'timed_out' || failure.code === 'deadline_exceeded') {
    return new HttpError('deadline_exceeded', 'The run did not end within its deadline.');
  }
  if (status === 'cancelled' || failure.code === 'cancelled') {
    return new HttpError('cancelled', 'The run was cancelled.', { headers: { 'retry-after': '1' } });
  }
  if (status === 'dead' || failure.code === 'attempts_exhausted') {
    return new HttpError(
      'attempts_exhausted',
      'Every attempt of the run crashed its executor; the run was marked dead.',
    );
  }
  if (failure.code === 'flow_refused') return refusal(failure);
  if (failure.code === 'human_input_unsupported') return new HttpError(failure.code, failure.message);
  if (failure.code === 'database_unavailable') {
    return new HttpError('database_unavailable', 'The database is not available.', {
      headers: { 'retry-after': '1' },
    });
  }
  if (failure.code === 'object_store_unavailable' || failure.code === 'secret_store_unavailable')
    return new HttpError(failure.code, failure.message, { headers: { 'retry-after': '1' } });
  if (failure.code === 'python_busy') {
    return new HttpError('python_busy', failure.message, { headers: { 'retry-after': '2' } });
  }
  if (isAuthorFailure(failure.code)) return new HttpError(failure.code, failureDetail(failure.message, form));
  return new HttpError('internal', 'Internal Server Error');
}

/** Returns the error text of a failed run. Clients of the simple form expect JSON inside the text. */
export function failureDetail(message: string, form: RunRequest['form']): string {
  if (form === 'advanced') return message;
  return JSON.stringify({ message, traceback: null, description: null, code: null, suggestion: null });
}

function isAuthorFailure(code: string): code is AuthorFailure {
  return (AUTHOR_FAILURES as ReadonlySet<string>).has(code);
}

function refusal({ message, problems }: RunFailure): HttpError {
  const items = problems.map((problem) => ({
    type: 'flow_refused',
    loc: ['flow', problem.vertexId],
    msg: problem.message,
    input: problem.componentType,
  }));
  const whole = { type: 'flow_refused', loc: ['flow'], msg: message, input: null };
  return new HttpError('flow_refused', items.length > 0 ? items : [whole]);
}
