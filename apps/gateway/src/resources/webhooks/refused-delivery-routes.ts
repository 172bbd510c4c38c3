import { refusedDeliveriesSchema } from './refused-deliveries-schema';
import { HttpError } from '@millrace/http';
import { RefusedDeliveryStore } from '@millrace/runs';
import type { FlowStore, RefusedDelivery } from '@millrace/runs';
import type { Database } from '@millrace/database';
import { pythonIsoFormat } from '../../http/validation/date-time';
import { forReading } from '../../http/routing/access';
import { pathParameter } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { parseUuidStrictly } from '../../http/validation/uuid-text';
import { json } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';

const operation = {
  summary:
    'List the last deliveries that the webhook and triggers of a flow refused, newest first, without bodies',
  answers: { 200: json('The newest 50 refusals', refusedDeliveriesSchema) },
  errors: ['flow_unknown'],
} as const satisfies Operation;

export interface RefusedDeliveryRoutesOptions {
  readonly flows: Pick<FlowStore, 'find'>;
  readonly database: Pick<Database, 'query'>;
}

/** The route that lists what the webhook of a flow refused. */
export function refusedDeliveryRoutes({ flows, database }: RefusedDeliveryRoutesOptions): readonly Route[] {
  const store = new RefusedDeliveryStore({ database });
  const list = async ({ request, response, principal }: KeyedCall) => {
    const flowId = parseUuidStrictly(pathParameter(request, 'flow_id'), ['path', 'flow_id']);
    if (!(await flows.find(principal.userId, flowId))) throw new HttpError('flow_unknown', 'Flow not found');
    sendJson(response, 200, { refused: (await store.list(flowId)).map(refusalView) });
  };
  const path = '/api/v1/flows/:flow_id/refused-deliveries';
  return [{ method: 'GET', path, access: forReading, operation, handle: list }];
}

function refusalView({ flowId: _, refusedAt, requestId, clientAddress, ...refusal }: RefusedDelivery) {
  return {
    ...refusal,
    refused_at: pythonIsoFormat(refusedAt),
    request_id: requestId,
    client_address: clientAddress,
  };
}
