import type { Database } from '@millrace/database';
import { HttpError } from '@millrace/http';
import { readUsage, usageDimensions } from '@millrace/runs';
import type { UsageGroup, UserStore } from '@millrace/runs';
import type { SharedClock } from '@millrace/service';
import { sendJson } from '../../http/answers/send-json';
import { forReading } from '../../http/routing/access';
import { json, queryParameter } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import type { KeyedCall, Route } from '../../http/routing/route';
import {
  booleanParameter,
  integerParameter,
  timeParameter,
  uuidParameter,
  wordParameter,
  wordsParameter,
} from '../../http/validation/query';
import { collectValidationErrors } from '../../http/validation/validator';
import { attachment } from '../files/send-file';
import { permittedFilter } from '../runs/run-filter-query';
import { csvOf } from './csv';
import { usageRowNames, usageSchema } from './usage-schema';

export interface UsageRoutesOptions {
  readonly database: Pick<Database, 'query'>;
  readonly users: Pick<UserStore, 'find'>;
  readonly clock: SharedClock;
}

const DAY_MILLISECONDS = 86_400_000;
const DEFAULT_DAYS = 7;
/** Longer times are refused, by interval. */
const MAXIMUM_DAYS = { none: 400, day: 400, hour: 32 } as const;
const MAXIMUM_ROWS = 10_000;
const INTERVALS = ['none', 'day', 'hour'] as const;
const FORMATS = ['json', 'csv'] as const;
const time = { type: 'string', format: 'date-time' };

const operation = {
  summary: 'Sum what ended runs used: runs, failures, tokens, cost, waiting time',
  query: {
    by: {
      description: 'What the sums are by, separated by commas; one sum when absent',
      schema: {
        type: 'string',
        pattern: `^(${usageDimensions.join('|')})(,(${usageDimensions.join('|')}))*$`,
      },
    },
    interval: { description: 'A sum for each hour or day of UTC', schema: { enum: INTERVALS } },
    from: {
      description: `From this hour on; ${DEFAULT_DAYS} days before the end when absent`,
      schema: time,
    },
    before: { description: 'Before this time; now when absent', schema: time },
    flow_id: queryParameter('uuid', 'Only runs of this flow'),
    user_id: queryParameter('uuid', 'Runs of this user; those of others are for admins'),
    all_users: queryParameter('boolean', 'Runs of all users, for admins'),
    limit: queryParameter('integer', `Maximum number of rows, up to ${MAXIMUM_ROWS}`, { minimum: 1 }),
    format: { description: 'How the rows are sent', schema: { enum: FORMATS } },
  },
  answers: {
    200: {
      description:
        'The sums, those with the most runs first, or by time. `complete` is false when there are more rows',
      content: { ...json('', usageSchema).content, 'text/csv': { type: 'string' } },
    },
  },
  errors: ['permission_denied', 'invalid_value', 'database_unavailable'],
} as const satisfies Operation;

/** The route that sums the hourly counts of what runs used. */
export function usageRoutes({ database, users, clock }: UsageRoutesOptions): readonly Route[] {
  const handle = async (call: KeyedCall) => {
    const { query, response } = call;
    const [by, interval, given, before, flowId, ofUser, allUsers, limit, format] = collectValidationErrors(
      () => wordsParameter(query, 'by', usageDimensions) ?? [],
      () => wordParameter(query, 'interval', { words: INTERVALS, absent: 'none' }),
      () => timeParameter(query, 'from'),
      () => timeParameter(query, 'before') ?? new Date(clock.now()),
      () => uuidParameter(query, 'flow_id'),
      () => uuidParameter(query, 'user_id'),
      () => booleanParameter(query, 'all_users', false),
      () => integerParameter(query, 'limit', { absent: 1_000, minimum: 1, maximum: MAXIMUM_ROWS }),
      () => wordParameter(query, 'format', { words: FORMATS, absent: 'json' }),
    );
    const from = hourOf(given ?? new Date(before.getTime() - DEFAULT_DAYS * DAY_MILLISECONDS));
    const days = (before.getTime() - from.getTime()) / DAY_MILLISECONDS;
    if (days <= 0) throw new HttpError('invalid_value', 'from must be before the end.');
    if (days > MAXIMUM_DAYS[interval] + 1)
      throw new HttpError(
        'invalid_value',
        `The time is too long: up to ${MAXIMUM_DAYS[interval]} days with this interval.`,
      );
    const { userId } = await permittedFilter(users, call, { filter: {}, userId: ofUser, allUsers });
    const found = await readUsage(database, {
      userId,
      flowId,
      from,
      before,
      by,
      interval: interval === 'none' ? undefined : interval,
      // One more shows whether there are more.
      limit: limit + 1,
    });
    const rows = found.slice(0, limit).map(rowView);
    if (format === 'csv') {
      const headers = {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': attachment('usage.csv'),
      };
      response.writeHead(200, headers).end(csvOf(rows, usageRowNames));
      return;
    }
    sendJson(response, 200, {
      from: from.toISOString(),
      before: before.toISOString(),
      complete: found.length <= limit,
      rows,
    });
  };
  return [{ method: 'GET', path: '/api/v1/usage', access: forReading, operation, handle }];
}

const hourOf = (date: Date): Date => new Date(Math.floor(date.getTime() / 3_600_000) * 3_600_000);

function rowView(group: UsageGroup): Record<string, unknown> {
  return {
    start: group.start?.toISOString() ?? null,
    user_id: group.userId,
    username: group.username,
    project_id: group.projectId,
    project_name: group.projectName,
    flow_id: group.flowId,
    flow_name: group.flowName,
    key_id: group.keyId,
    key_name: group.keyName,
    pool: group.pool,
    provider: group.provider,
    model: group.model,
    runs: group.runs,
    failures: group.failures,
    model_calls: group.calls,
    input_tokens: group.inputTokens,
    output_tokens: group.outputTokens,
    cost_usd: group.cost,
    unpriced_calls: group.unpricedCalls,
    waiting_milliseconds: group.waitingMilliseconds,
    running_milliseconds: group.runningMilliseconds,
  };
}
