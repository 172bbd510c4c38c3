import { flowStatisticsSchema, runHistorySchema } from './run-history-schemas';
import type { Database } from '@millrace/database';
import { HttpError } from '@millrace/http';
import { readLastRuns, sumUnrecorded } from '@millrace/runs';
import type { UserStore } from '@millrace/runs';
import { collectValidationErrors } from '../../http/validation/validator';
import { integerParameter } from '../../http/validation/query';
import { forReading } from '../../http/routing/access';
import { keyedRoute } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { json, queryParameter } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import type { RunHistory } from '../../run-history/run-history';
import { groupsBy, summarizeRuns } from '../../run-history/summarize-runs';
import { permittedFilter, runFilterQuery, wantedByQuery } from './run-filter-query';

export interface RunHistoryRoutesOptions {
  readonly history: RunHistory;
  readonly database: Pick<Database, 'query'>;
  readonly users: Pick<UserStore, 'find'>;
}

const HOUR_SECONDS = 3_600;
const MAXIMUM_HOURS = 720;
const MAXIMUM_POINTS = 500;
/** Seconds of an interval, by the hours that it suits. */
const INTERVALS = [
  [1, 60],
  [6, 300],
  [24, 900],
  [168, 7_200],
  [MAXIMUM_HOURS, 21_600],
] as const;
const hoursQuery = queryParameter('integer', `How many hours back, up to ${MAXIMUM_HOURS}; 24 when absent`, {
  minimum: 1,
});
const hoursBounds = { absent: 24, minimum: 1, maximum: MAXIMUM_HOURS };
const { flow_id, user_id, all_users } = runFilterQuery;
const operations = {
  history: {
    summary: 'Count runs by time and state, with percentiles of their durations',
    query: {
      hours: hoursQuery,
      interval: queryParameter(
        'integer',
        `Seconds of an interval; at most ${MAXIMUM_POINTS} intervals. It follows from the hours when absent`,
        { minimum: 60 },
      ),
      flow_id,
      user_id,
      all_users,
    },
    answers: {
      200: json(
        'Intervals by acceptance, oldest first. Durations, from the start to the end, are of a sample of the runs',
        runHistorySchema,
      ),
    },
    errors: ['permission_denied', 'invalid_value', 'database_unavailable'],
  },
  statistics: {
    summary: 'Count the runs of each of your flows, with success rates and percentiles',
    query: { hours: hoursQuery },
    answers: { 200: json('The flows that have had a run', flowStatisticsSchema) },
    errors: ['database_unavailable'],
  },
} as const satisfies Record<string, Operation>;

/** Routes that count runs over time and by flow. */
export function runHistoryRoutes({ history, database, users }: RunHistoryRoutesOptions): readonly Route[] {
  const overTime = async (call: KeyedCall) => {
    const { query, response } = call;
    const [hours, asked] = collectValidationErrors(
      () => integerParameter(query, 'hours', hoursBounds),
      () => integerParameter(query, 'interval', { absent: 0, minimum: 60, maximum: 86_400 }),
    );
    const { userId, flowId } = await permittedFilter(users, call, wantedByQuery(query));
    const intervalSeconds = asked || intervalFor(hours);
    const intervals = Math.ceil((hours * HOUR_SECONDS) / intervalSeconds);
    if (intervals > MAXIMUM_POINTS)
      throw new HttpError(
        'invalid_value',
        `interval must be longer: ${intervals} intervals, of ${MAXIMUM_POINTS}.`,
      );
    const { groups, measuredAt } = await history.read({ userId, flowId, intervals, intervalSeconds });
    const from = new Date(measuredAt.getTime() - hours * HOUR_SECONDS * 1_000);
    const unrecorded = await sumUnrecorded(database, { userId, flowId, from });
    const last = Math.floor(measuredAt.getTime() / 1_000 / intervalSeconds) * intervalSeconds;
    const starts = Array.from(
      { length: intervals },
      (_, index) => last - (intervals - 1 - index) * intervalSeconds,
    );
    const byStart = groupsBy(groups, ({ start }) => start);
    sendJson(response, 200, {
      from: isoTime(starts[0] ?? last),
      to: measuredAt.toISOString(),
      interval_seconds: intervalSeconds,
      measured_at: measuredAt.toISOString(),
      unrecorded_runs: unrecorded,
      points: starts.map((start) => ({ start: isoTime(start), ...summarizeRuns(byStart.get(start) ?? []) })),
    });
  };
  const byFlow = async ({ query, response, principal }: KeyedCall) => {
    const hours = integerParameter(query, 'hours', hoursBounds);
    const { userId } = principal;
    const [{ groups, measuredAt }, lastRuns] = await Promise.all([
      history.read({ userId, intervals: hours, intervalSeconds: HOUR_SECONDS }),
      readLastRuns(database, userId),
    ]);
    const groupsOf = groupsBy(groups, ({ flowId }) => flowId);
    sendJson(response, 200, {
      hours,
      measured_at: measuredAt.toISOString(),
      flows: lastRuns.map(({ flowId, id, status, acceptedAt }) => {
        const summary = summarizeRuns(groupsOf.get(flowId) ?? []);
        const ended = summary.succeeded + summary.failed + summary.timed_out + summary.dead;
        return {
          flow_id: flowId,
          ...summary,
          success_rate: ended === 0 ? null : summary.succeeded / ended,
          last_run: { id, status, accepted_at: acceptedAt.toISOString() },
        };
      }),
    });
  };
  return [
    keyedRoute('GET /api/v1/runs/history', forReading, operations.history, overTime),
    keyedRoute('GET /api/v1/flows/stats', forReading, operations.statistics, byFlow),
  ];
}

function intervalFor(hours: number): number {
  return INTERVALS.find(([maximum]) => hours <= maximum)?.[1] ?? HOUR_SECONDS;
}

function isoTime(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}
