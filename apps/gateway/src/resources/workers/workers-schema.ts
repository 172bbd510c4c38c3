import { closedObject, flag, integer, listOf, orNull, text, namedObject } from '@millrace/messages';

const seconds = { type: 'number' } as const;
const instant = { type: 'string', format: 'date-time' } as const;

/** The executors that announce themselves, and the load of each pool. */
export const workersSchema = namedObject('Workers', {
  measured_at: instant,
  workers: orNull(
    listOf(
      closedObject({
        id: text,
        pool: text,
        slots: integer,
        busy: integer,
        version: text,
        seen_at: instant,
        connected: flag,
        python: orNull(closedObject({ python: text, lfx: text, package_set: text, seal: text })),
      }),
    ),
  ),
  counted_at: orNull(instant),
  pools: listOf(
    closedObject({
      pool: text,
      executors: integer,
      slots: integer,
      busy_runs: integer,
      waiting_runs: integer,
      backlog: closedObject({
        waiting: integer,
        published: integer,
        running: integer,
        interactive_messages: integer,
        oldest_seconds: orNull(seconds),
      }),
    }),
  ),
  quarantine_messages: orNull(integer),
  dead_letter_messages: orNull(integer),
});
