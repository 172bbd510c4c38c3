import type { ComponentRegistry } from '@millrace/flow';
import { HttpError } from '@millrace/http';
import { anyObject, closedObject, listOf } from '@millrace/messages';
import { sendJson } from '../../http/answers/send-json';
import { forManagement } from '../../http/routing/access';
import { json, jsonBody } from '../../http/routing/operation';
import type { KeyedCall, Route } from '../../http/routing/route';
import { requireBody } from '../../http/validation/require-body';
import type { ValidationItem } from '../../http/validation/validation-item';
import { createValidator } from '../../http/validation/validator';
import { compactFlowSchema } from './compact-flow-body';
import type { CompactFlow } from './compact-flow-body';
import { expandFlow } from './expand-flow';

const check = createValidator(compactFlowSchema);

/** The route that writes a compact flow, such as a language model makes, as a flow file. */
export function flowExpansionRoutes({
  registry,
}: {
  readonly registry: ComponentRegistry;
}): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/api/v1/flows/expand/',
      access: forManagement,
      body: 'json',
      takesFlows: true,
      operation: {
        summary: 'Write a compact flow as the data of a flow',
        body: jsonBody(compactFlowSchema),
        answers: {
          200: json(
            'The nodes and edges',
            closedObject({ nodes: listOf(anyObject), edges: listOf(anyObject) }),
          ),
        },
        errors: ['invalid_value'],
      },
      handle: (call) => sendJson(call.response, 200, expandFlow(compactFlowOf(call), registry)),
    },
  ];
}

/** Throws invalid_value with all faults of the flow, as Langflow does, and invalid_request for a body that is no object. */
function compactFlowOf({ body }: KeyedCall): CompactFlow {
  try {
    check(requireBody(body));
  } catch (error) {
    if (!(error instanceof HttpError) || error.code !== 'invalid_request') throw error;
    const items = error.detail as readonly ValidationItem[];
    if (items.some(({ loc }) => loc.length === 1)) throw error;
    throw new HttpError('invalid_value', faultsText(items));
  }
  return body as CompactFlow;
}

function faultsText(items: readonly ValidationItem[]): string {
  const faults = items.map(({ type, loc, msg }) => `${loc.slice(1).join('.')}\n  ${msg} [type=${type}]`);
  return [
    `${items.length} validation error${items.length === 1 ? '' : 's'} for CompactFlowData`,
    ...faults,
  ].join('\n');
}
