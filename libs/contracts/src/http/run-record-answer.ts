import { anyObject, closed, listOf, orNull, text, uuid, whole } from './answer-schema';

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
  flow_version: whole,
  session_id: text,
  status: { enum: runStatuses },
  attempt: whole,
  origin: text,
  lane: { enum: ['interactive', 'background'] },
  pool: text,
  accepted_at: text,
  queued_at: orNull(text),
  started_at: orNull(text),
  finished_at: orNull(text),
  retries: whole,
  replay_of: orNull(uuid),
  error: orNull(anyObject),
};
/** Not known of a run that has no record yet. */
const fromRecords = ['flow_version', 'origin', 'queued_at', 'started_at', 'retries', 'replay_of'];

const summarySchema = closed(members, fromRecords);

export const runListSchema = closed({ runs: listOf(summarySchema) });

/** A run with what came of it. */
export const runRecordSchema = closed({ ...members, result: {} }, fromRecords);

/** A run whose end was asked for; only its id when it has no record. */
export const cancelledRunSchema = {
  anyOf: [summarySchema, closed({ id: uuid, status: { const: 'running' } })],
};

/** What became of each run that was to be replayed. */
export const replaysSchema = closed({ runs: listOf(closed({ id: uuid, replayed_as: orNull(uuid) })) });

/** How many records were deleted. */
export const forgottenRunsSchema = closed({ deleted: whole });
