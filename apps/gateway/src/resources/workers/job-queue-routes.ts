import { announcedWorkers } from '@millrace/dispatch';
import { HttpError } from '@millrace/http';
import { closedObject, integer } from '@millrace/messages';
import { forReading } from '../../http/routing/access';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { json } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import { poolLoads } from '../autoscale/pool-loads';
import type { WorkerRoutesOptions } from './worker-routes';

const operation = {
  summary: 'Count the runs that wait or are being executed; for admins',
  answers: {
    200: json(
      'Where runs are stored, and their number',
      closedObject({ backend: { const: 'postgresql' }, active_jobs: integer }),
    ),
  },
  errors: ['permission_denied', 'database_unavailable'],
} as const satisfies Operation;

export type JobQueueRoutesOptions = Omit<WorkerRoutesOptions, 'clock'>;

/** Langflow's route that shows the load of its job queue. */
export function jobQueueRoutes({ users, meter, keyValue, logger }: JobQueueRoutesOptions): readonly Route[] {
  const show = async ({ response, principal }: KeyedCall) => {
    const user = await users.find(principal.userId);
    if (!user?.isAdmin || !principal.scopes.includes('admin'))
      throw new HttpError('permission_denied', "The user doesn't have enough privileges");
    const workers = await announcedWorkers(keyValue).catch((error: unknown) => {
      logger.warn({ error }, 'the executors could not be read; their runs are not counted');
      return [];
    });
    const loads = poolLoads((await meter.measure()) ?? { pools: [], lanes: null }, workers);
    const active = loads.reduce((sum, { busy, waiting }) => sum + busy + waiting, 0);
    sendJson(response, 200, { backend: 'postgresql', active_jobs: active });
  };
  return [{ method: 'GET', path: '/api/v1/monitor/job_queue', access: forReading, operation, handle: show }];
}
