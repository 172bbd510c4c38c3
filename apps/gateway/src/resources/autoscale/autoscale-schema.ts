import { closedObject, integer, listOf, orNull, text, namedObject } from '@millrace/messages';

const seconds = { type: 'number' } as const;

/** The desired executors of each pool, with the numbers that they are computed from. */
export const autoscaleSchema = namedObject('Autoscale', {
  counted_at: text,
  age_seconds: seconds,
  target_runs: integer,
  minimum_executors: integer,
  maximum_executors: integer,
  pools: listOf(
    closedObject({
      pool: text,
      desired_executors: integer,
      arithmetic: text,
      waiting_runs: integer,
      busy_runs: integer,
      executors: integer,
      slots: integer,
      backlog: closedObject({
        waiting: integer,
        published: integer,
        running: integer,
        interactive_messages: integer,
        oldest_seconds: orNull(seconds),
      }),
    }),
  ),
});
