import type { Database } from '@millrace/database';
import { listAlerts } from '@millrace/runs';
import type { ListedAlert } from '@millrace/runs';
import { sendJson } from '../../http/answers/send-json';
import { forReading } from '../../http/routing/access';
import { json, queryParameter } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import type { KeyedCall, Route } from '../../http/routing/route';
import { pythonIsoFormat } from '../../http/validation/date-time';
import { uuidParameter } from '../../http/validation/query';
import { collectValidationErrors } from '../../http/validation/validator';
import { pageOf } from '../triggers/trigger-routes';
import { alertListSchema } from './alert-schemas';

const operation = {
  summary: 'List the alerts of flows that have not ended, newest first',
  query: {
    flow_id: queryParameter('uuid', 'Only alerts of this flow'),
    limit: queryParameter('integer', 'Maximum number of entries, up to 200', { minimum: 1 }),
    offset: queryParameter('integer', 'How many entries to pass over', { minimum: 0 }),
  },
  answers: { 200: json('The alerts', alertListSchema) },
} as const satisfies Operation;

/** The route that lists the alerts of the caller's flows. */
export function alertRoutes({ database }: { readonly database: Pick<Database, 'query'> }): readonly Route[] {
  const handle = async (call: KeyedCall) => {
    const [flowId, page] = collectValidationErrors(
      () => uuidParameter(call.query, 'flow_id'),
      () => pageOf(call),
    );
    const found = await listAlerts(database, { userId: call.principal.userId, flowId, ...page });
    sendJson(call.response, 200, found.map(alertView));
  };
  return [{ method: 'GET', path: '/api/v1/alerts', access: forReading, operation, handle }];
}

function alertView(alert: ListedAlert): Record<string, unknown> {
  return {
    alert_id: alert.id,
    flow_id: alert.flowId,
    flow_name: alert.flowName,
    rule: alert.rule,
    measure: alert.measure,
    threshold: alert.threshold,
    window_minutes: alert.windowMinutes,
    value: alert.value,
    began_at: pythonIsoFormat(alert.beganAt),
  };
}
