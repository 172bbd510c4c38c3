import {
  anyObject,
  closedObject,
  integer,
  listOf,
  orNull,
  text,
  uuid,
  namedObject,
} from '@millrace/messages';

const logLineSchema = namedObject('RunLogLine', {
  at: text,
  level: { enum: ['warn', 'error'] },
  attempt: orNull(integer),
  message: text,
  fields: anyObject,
});

/** Answer of `GET /api/v1/runs/{run_id}/attempts`: the first attempt first, and the oldest line of the log first. */
export const runAttemptsSchema = namedObject('RunAttempts', {
  run_id: uuid,
  attempts: listOf(
    closedObject({
      attempt: integer,
      worker: orNull(text),
      started_at: orNull(text),
      ended_at: orNull(text),
      outcome: {
        enum: [
          'running',
          'succeeded',
          'failed',
          'cancelled',
          'timed_out',
          'given_back',
          'handed_off',
          'executor_lost',
          'redelivered',
          'suspended',
        ],
      },
      error: orNull(anyObject),
    }),
  ),
  log: listOf(logLineSchema),
});
