import { HttpError } from '@millrace/http';
import { forAdmins } from '../../http/routing/access';
import type { Route } from '../../http/routing/route';
import type { Operation } from '../../http/routing/operation';

const operation = {
  summary: 'Read the log, which is not available over HTTP',
  answers: {},
  errors: ['logs_disabled'],
} as const satisfies Operation;

/** Routes that Langflow's clients use to read logs. They answer as Langflow does when log retrieval is disabled. */
export function logRoutes(): readonly Route[] {
  const refuse = () => {
    throw new HttpError('logs_disabled', 'Log retrieval is disabled');
  };
  return ['/logs', '/logs-stream'].map((path) => ({
    method: 'GET',
    path,
    access: forAdmins,
    operation,
    handle: refuse,
  }));
}
