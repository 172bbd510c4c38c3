import { runStatusSchema } from './run-statuses';
import {
  anyObject,
  closedObject,
  flag,
  listOf,
  orNull,
  text,
  uuid,
  integer,
  namedObject,
} from '@millrace/messages';
import { runUsageSchema } from './run-usage-schema';

const members = {
  id: uuid,
  user_id: uuid,
  flow_id: uuid,
  flow_version: integer,
  session_id: text,
  status: runStatusSchema,
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
  username: text,
  flow_name: text,
  trigger: orNull(
    closedObject({ id: uuid, name: text, kind: { enum: ['inbound_webhook', 'schedule', 'rabbitmq'] } }),
  ),
};
/** Absent for a run that has no record yet; the session for a member without the right to payloads. */
const optionalMembers = [
  'user_id',
  'flow_version',
  'session_id',
  'origin',
  'queued_at',
  'started_at',
  'retries',
  'replay_of',
  'username',
  'flow_name',
  'trigger',
];

const summarySchema = namedObject('RunSummary', members, optionalMembers);

/**
 * A page of runs; `next_cursor` is null on the last one. `unrecorded_runs` counts those of the flow or user, in the time asked
 * for, that left no record.
 */
export const runListSchema = namedObject('RunList', {
  runs: listOf(summarySchema),
  next_cursor: orNull(text),
  unrecorded_runs: integer,
});

/** An event of the stream of all changes. */
export const runEventsSchema = {
  anyOf: [
    closedObject({ event: { const: 'run' }, data: summarySchema }),
    closedObject({ event: { const: 'reset' }, data: closedObject({}) }),
  ],
};

/** A run with its result. */
export const runRecordSchema = namedObject(
  'Run',
  { ...members, worker: orNull(text), trace_url: orNull(text), result: {} },
  [...optionalMembers, 'worker', 'trace_url'],
);

/** What a run was asked for. */
export const runRequestViewSchema = namedObject('RunRequestRecord', {
  run_id: uuid,
  form: { enum: ['simple', 'advanced', 'webhook'] },
  inputs: listOf(closedObject({ components: listOf(text), input_value: text, type: text })),
  outputs: anyObject,
  tweaks: anyObject,
  stream: flag,
  session_id: text,
  global_variables: listOf(text),
  files: listOf(text),
  webhook_payload: orNull(text),
});

/** A run with a requested cancellation; only its id when it has no record. */
export const cancelledRunSchema = {
  anyOf: [summarySchema, closedObject({ id: uuid, status: { const: 'running' } })],
};

/** The outcome for each run of a replay request. */
export const replaysSchema = namedObject('Replays', {
  runs: listOf(closedObject({ id: uuid, replayed_as: orNull(uuid) })),
});

/** How many runs an action on a filter would reach, and the token that allows it. */
const countedRunsSchema = namedObject('CountedRuns', {
  action: { enum: ['cancel', 'replay'] },
  dry_run: { const: true },
  count: integer,
  complete: flag,
  token: orNull(text),
});

/** The runs that an action on a filter reached in one request; `token` continues it. */
const reachedRunsSchema = namedObject('ReachedRuns', {
  action: { enum: ['cancel', 'replay'] },
  dry_run: { const: false },
  count: integer,
  runs: listOf(closedObject({ id: uuid, replayed_as: orNull(uuid) })),
  token: orNull(text),
});

export const bulkRunsSchema = { anyOf: [countedRunsSchema, reachedRunsSchema] };

/** The number of deleted records. */
export const deletedRunsSchema = closedObject({ deleted: integer });
