import { workersSchema } from './workers-schema';
import { announcedWorkers } from '@millrace/dispatch';
import type { BacklogMeter, WorkerState } from '@millrace/dispatch';
import type { KeyValueStore } from '@millrace/key-value';
import type { BacklogCount, UserStore } from '@millrace/runs';
import type { Logger, SharedClock } from '@millrace/service';
import { requireAdmin } from '../../authentication/require-admin';
import { forAdmins } from '../../http/routing/access';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { json } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import { backlogView, poolLoads } from '../autoscale/pool-loads';

export interface WorkerRoutesOptions {
  readonly users: Pick<UserStore, 'find'>;
  readonly meter: Pick<BacklogMeter, 'measure'>;
  readonly keyValue: Pick<KeyValueStore, 'keys' | 'getMany'>;
  readonly clock: SharedClock;
  readonly logger: Logger;
}

const operation = {
  summary: 'List executors and pools with their load; for admins',
  answers: {
    200: json('The executors, null while the key-value store is unavailable, and the pools', workersSchema),
  },
  errors: ['permission_denied', 'database_unavailable'],
} as const satisfies Operation;

/** The route that shows executors and pools. */
export function workerRoutes({
  users,
  meter,
  keyValue,
  clock,
  logger,
}: WorkerRoutesOptions): readonly Route[] {
  const list = async (call: KeyedCall) => {
    await requireAdmin(users, call);
    const [count, workers] = await Promise.all([
      meter.measure(),
      announcedWorkers(keyValue).catch((error: unknown) => {
        logger.warn({ error }, 'the executors could not be read; the answer has none');
        return null;
      }),
    ]);
    const now = clock.now();
    sendJson(call.response, 200, {
      measured_at: new Date(now).toISOString(),
      workers: workers?.map(workerView) ?? null,
      counted_at: count && new Date(now - count.ageMilliseconds).toISOString(),
      pools: poolLoads(count ?? { pools: [], lanes: null }, workers ?? []).map((load) => ({
        pool: load.backlog.pool,
        executors: load.executors,
        slots: load.slots,
        busy_runs: load.busy,
        waiting_runs: load.waiting,
        backlog: backlogView(load),
      })),
      quarantine_messages: messagesOf(count, 'quarantine'),
      dead_letter_messages: messagesOf(count, 'dead'),
    });
  };
  return [{ method: 'GET', path: '/api/v1/workers', access: forAdmins, operation, handle: list }];
}

function workerView({ worker, pool, concurrency, inHand, version, seenAt, isAway, python }: WorkerState) {
  return {
    id: worker,
    pool,
    slots: concurrency,
    busy: inHand,
    version,
    seen_at: seenAt,
    connected: !isAway,
    python: python
      ? { python: python.python, lfx: python.lfx, package_set: python.packageSet, seal: python.seal }
      : null,
  };
}

function messagesOf(count: BacklogCount | null, lane: 'quarantine' | 'dead'): number | null {
  return count?.lanes?.find((state) => state.lane === lane)?.messages ?? null;
}
