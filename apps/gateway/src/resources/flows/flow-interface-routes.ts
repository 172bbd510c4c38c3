import type { ComponentRegistry } from '@millrace/flow';
import { HttpError } from '@millrace/http';
import type { FlowStore } from '@millrace/runs';
import { baseUrlOf } from '../../http/base-url';
import { sendJson } from '../../http/answers/send-json';
import { forManagement } from '../../http/routing/access';
import { json } from '../../http/routing/operation';
import { pathParameter } from '../../http/routing/route';
import type { Route } from '../../http/routing/route';
import { parseUuidStrictly } from '../../http/validation/uuid-text';
import { flowInterface } from './flow-interface';

export interface FlowInterfaceRoutesOptions {
  readonly flows: Pick<FlowStore, 'find'>;
  readonly registry: ComponentRegistry;
  /** Base URL at which callers reach the gateway; taken from each request when unset. */
  readonly publicUrl: string | undefined;
}

/** The route that describes the calls of a flow. */
export function flowInterfaceRoutes(options: FlowInterfaceRoutesOptions): readonly Route[] {
  const { flows, registry, publicUrl } = options;
  return [
    {
      method: 'GET',
      path: '/api/v1/flows/:flow_id/openapi.json',
      access: forManagement,
      operation: {
        summary: 'Describe the calls of a flow as an OpenAPI document: inputs, fields for tweaks, outputs',
        answers: { 200: json('An OpenAPI 3.1 document', { type: 'object' }) },
        errors: ['flow_unknown', 'invalid_flow'],
      },
      async handle({ request, response, principal }) {
        const id = parseUuidStrictly(pathParameter(request, 'flow_id'), ['path', 'flow_id']);
        const flow = await flows.find(principal.userId, id);
        if (!flow) throw new HttpError('flow_unknown', 'Flow not found');
        sendJson(response, 200, flowInterface(flow, registry, publicUrl ?? baseUrlOf(request)));
      },
    },
  ];
}
