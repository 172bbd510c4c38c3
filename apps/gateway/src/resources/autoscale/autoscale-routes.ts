import { autoscaleSchema } from './autoscale-schema';
import { announcedWorkers, desiredExecutors } from '@millrace/dispatch';
import type { AutoscaleRule, BacklogMeter, WorkerState } from '@millrace/dispatch';
import { HttpError } from '@millrace/http';
import type { KeyValueStore } from '@millrace/key-value';
import type { BacklogCount, UserStore } from '@millrace/runs';
import type { Logger, SharedClock } from '@millrace/service';
import { requireAdmin } from '../../authentication/require-admin';
import { forAdmins } from '../../http/routing/access';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { json, queryParameter } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import { backlogView, poolLoads } from './pool-loads';
import type { PoolLoad } from './pool-loads';

export interface AutoscaleRoutesOptions {
  readonly users: UserStore;
  readonly meter: Pick<BacklogMeter, 'measure'>;
  readonly keyValue: KeyValueStore;
  readonly clock: SharedClock;
  readonly rule: AutoscaleRule;
  readonly logger: Logger;
}

const operation = {
  summary: 'How many executors each pool needs, and how that is computed; for admins',
  query: { pool: queryParameter('string', 'Answer only this pool') },
  answers: { 200: json('The desired executors', autoscaleSchema) },
  errors: ['permission_denied', 'database_unavailable'],
} as const satisfies Operation;

/** The route for autoscalers that do not read Prometheus. */
export function autoscaleRoutes(options: AutoscaleRoutesOptions): readonly Route[] {
  const answer = async (call: KeyedCall) => {
    await requireAdmin(options.users, call);
    const count = await options.meter.measure();
    // Another process makes the first count right now.
    if (count === null)
      throw new HttpError('database_unavailable', 'The backlog is not counted yet.', {
        headers: { 'retry-after': '1' },
      });
    const loads = poolLoads(count, await workersOf(options));
    const pool = call.query.get('pool');
    const asked = pool === null ? loads : loads.filter(({ backlog }) => backlog.pool === pool);
    sendJson(call.response, 200, autoscaleView(count, asked, options));
  };
  return [{ method: 'GET', path: '/api/v1/autoscale', access: forAdmins, operation, handle: answer }];
}

/** Without the key-value store, busy runs are those of the database. */
async function workersOf({ keyValue, logger }: AutoscaleRoutesOptions): Promise<readonly WorkerState[]> {
  try {
    return await announcedWorkers(keyValue);
  } catch (error) {
    logger.warn({ error }, 'the executors could not be read; their slots count as none');
    return [];
  }
}

function autoscaleView(
  { ageMilliseconds }: BacklogCount,
  loads: readonly PoolLoad[],
  { clock, rule }: AutoscaleRoutesOptions,
): object {
  return {
    counted_at: new Date(clock.now() - ageMilliseconds).toISOString(),
    age_seconds: ageMilliseconds / 1_000,
    target_runs: rule.targetRuns,
    minimum_executors: rule.minimumExecutors,
    maximum_executors: rule.maximumExecutors,
    pools: loads.map((load) => poolView(load, rule)),
  };
}

function poolView(load: PoolLoad, rule: AutoscaleRule): object {
  const { backlog, waiting, busy, executors, slots } = load;
  const { desired, arithmetic } = desiredExecutors(load, rule);
  return {
    pool: backlog.pool,
    desired_executors: desired,
    arithmetic,
    waiting_runs: waiting,
    busy_runs: busy,
    executors,
    slots,
    backlog: backlogView(load),
  };
}
