import { anyObject, closedObject, listOf, orNull, text, uuid, integer } from './answer-schema';
import { runUsageSchema } from './run-trace-answer';

const runStatuses = [
  'accepted',
  'queued',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
  'dead',
] as const;

const members = {
  id: uuid,
  flow_id: uuid,
  flow_version: integer,
  session_id: text,
  status: { enum: runStatuses },
  attempt: integer,
  origin: text,
  lane: { enum: ['interactive', 'background'] },
  pool: text,
  accepted_at: text,
  queued_at: orNull(text),
  started_at: orNull(text),
  finished_at: orNull(text),
  retries: integer,
  replay_of: orNull(uuid),
  usage: runUsageSchema,
  error: orNull(anyObject),
};
/** Absent for a run that has no record yet. */
const recordOnlyMembers = ['flow_version', 'origin', 'queued_at', 'started_at', 'retries', 'replay_of'];

const summarySchema = closedObject(members, recordOnlyMembers);

export const runListSchema = closedObject({ runs: listOf(summarySchema) });

/** A run with its result. */
export const runRecordSchema = closedObject({ ...members, result: {} }, recordOnlyMembers);

/** A run with a requested cancellation; only its id when it has no record. */
export const cancelledRunSchema = {
  anyOf: [summarySchema, closedObject({ id: uuid, status: { const: 'running' } })],
};

/** The outcome for each run of a replay request. */
export const replaysSchema = closedObject({
  runs: listOf(closedObject({ id: uuid, replayed_as: orNull(uuid) })),
});

/** The number of deleted records. */
export const deletedRunsSchema = closedObject({ deleted: integer });
