import { CANNOT_WAIT_FOR_HUMAN } from '@millrace/flow';
import { HttpError } from '@millrace/http';
import { toHttpError } from '../http/answers/answer-error';
import type { RunEnding } from '../runs/pending-run';
import { runFailureError } from './run-failure-error';

/** Returns the error of a run that did not succeed. */
export function endingError(ending: Exclude<RunEnding, { kind: 'succeeded' }>): HttpError {
  if (ending.kind === 'suspended') return new HttpError('human_input_unsupported', CANNOT_WAIT_FOR_HUMAN);
  return ending.kind === 'lost'
    ? toHttpError(ending.error)
    : runFailureError(ending.status, ending.failure, 'advanced');
}
