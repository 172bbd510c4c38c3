import { integer, listOf, orNull, text, uuid, namedObject } from '@millrace/messages';
import { waitingReasons } from '../../run-views/waiting-reason';
import { runStatusSchema } from './run-statuses';

const reasonSchema = namedObject('WaitingReason', {
  reason: { enum: waitingReasons },
  text,
  at: orNull(text),
  limit: orNull(integer),
  place: orNull(integer),
  attempt: orNull(integer),
  attempts: orNull(integer),
});

/** Why a run waits; `waiting` is null for one that does not. */
export const waitingRunSchema = namedObject('WaitingRun', {
  run_id: uuid,
  status: runStatusSchema,
  waiting: orNull(reasonSchema),
});

export const waitingRunsSchema = namedObject('WaitingRuns', { runs: listOf(waitingRunSchema) });
