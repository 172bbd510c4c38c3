import { HttpError } from '@millrace/http';
import { forRuns } from '../../http/routing/access';
import type { Route } from '../../http/routing/route';
import type { Operation } from '../../http/routing/operation';

const operation: Operation = {
  summary: 'Deprecated: the error names the successor',
  answers: {},
  errors: ['endpoint_deprecated'],
};

/**
 * Routes for deprecated paths, which answer with the name of their successor. Langflow serves /predict by the function of
 * /process, so both errors name /process.
 */
export function deprecatedRoutes(): readonly Route[] {
  const refuse = (name: string) => () => {
    throw new HttpError(
      'endpoint_deprecated',
      `The /${name} endpoint is deprecated and will be removed in a future version. Please use /run instead.`,
    );
  };
  return [
    {
      method: 'POST',
      path: '/api/v1/predict/:flow',
      access: forRuns,
      body: 'run',
      operation,
      handle: refuse('process'),
    },
    {
      method: 'POST',
      path: '/api/v1/process/:flow',
      access: forRuns,
      body: 'run',
      operation,
      handle: refuse('process'),
    },
    { method: 'GET', path: '/api/v1/task/:task', access: 'public', operation, handle: refuse('task') },
  ];
}
