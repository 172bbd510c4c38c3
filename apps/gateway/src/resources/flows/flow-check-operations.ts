import { acceptedCodeBodySchema } from './accepted-code-body';
import { checkedFlowsSchema, flowReportSchema } from './flow-schemas';
import { editedCodeQuery } from './edited-code-parameter';
import { json, jsonBody } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import { flowOperations } from './flow-operations';

/** Documentation of the routes that check how flows would run. */
export const flowCheckOperations = {
  check: {
    summary: 'Check how the flows of an export would run, without creating them',
    query: editedCodeQuery,
    body: flowOperations.upload.body,
    answers: {
      200: json('For each flow, the verdict about a run and how each vertex runs', checkedFlowsSchema),
    },
    errors: ['invalid_flow'],
  },
  accept: {
    summary: 'Accept the stock component instead of the edited code of vertices',
    body: jsonBody(acceptedCodeBodySchema),
    answers: { 200: json('How the changed flow runs', flowReportSchema) },
    errors: ['flow_unknown', 'invalid_value', 'invalid_flow'],
  },
} as const satisfies Record<string, Operation>;
