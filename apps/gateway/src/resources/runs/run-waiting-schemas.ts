import { closedObject, integer, listOf, named, orNull, text, uuid } from '@millrace/messages';
import { waitingReasons } from '../../run-views/waiting-reason';
import { runStatusSchema } from './run-statuses';

const reasonSchema = named(
  'WaitingReason',
  closedObject({
    reason: { enum: waitingReasons },
    text,
    at: orNull(text),
    limit: orNull(integer),
    place: orNull(integer),
    attempt: orNull(integer),
    attempts: orNull(integer),
  }),
);

/** Why a run waits; `waiting` is null for one that does not. */
export const waitingRunSchema = named(
  'WaitingRun',
  closedObject({ run_id: uuid, status: runStatusSchema, waiting: orNull(reasonSchema) }),
);

export const waitingRunsSchema = named('WaitingRuns', closedObject({ runs: listOf(waitingRunSchema) }));
