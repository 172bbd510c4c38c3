import type { HttpError } from '@millrace/http';
import { toHttpError } from '../http/answers/answer-error';
import type { RunEnding } from '../runs/pending-run';
import { runFailureError } from './run-failure-error';

/** Returns the error of a run that did not succeed. */
export function endingError(ending: Exclude<RunEnding, { kind: 'succeeded' }>): HttpError {
  return ending.kind === 'lost'
    ? toHttpError(ending.error)
    : runFailureError(ending.status, ending.failure, 'advanced');
}
