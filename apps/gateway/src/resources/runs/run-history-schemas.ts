import { closedObject, integer, listOf, orNull, uuid, namedObject } from '@millrace/messages';
import { runStatusSchema } from './run-statuses';

const instant = { type: 'string', format: 'date-time' } as const;
const milliseconds = orNull({ type: 'number' });
const counts = {
  total: integer,
  succeeded: integer,
  failed: integer,
  cancelled: integer,
  timed_out: integer,
  dead: integer,
  unfinished: integer,
  accepted: integer,
  queued: integer,
  running: integer,
  suspended: integer,
  p50_milliseconds: milliseconds,
  p95_milliseconds: milliseconds,
};

/** Counts and durations of runs by the interval of their acceptance; intervals without runs are included. */
export const runHistorySchema = namedObject('RunHistory', {
  from: instant,
  to: instant,
  interval_seconds: integer,
  measured_at: instant,
  unrecorded_runs: integer,
  points: listOf(closedObject({ start: instant, ...counts })),
});

/** Counts and durations of the runs of each flow that has had a run. */
export const flowStatisticsSchema = namedObject('FlowStatistics', {
  hours: integer,
  measured_at: instant,
  flows: listOf(
    closedObject({
      flow_id: uuid,
      ...counts,
      success_rate: orNull({ type: 'number' }),
      last_run: closedObject({ id: uuid, status: runStatusSchema, accepted_at: instant }),
    }),
  ),
});
