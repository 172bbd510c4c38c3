import { acceptedCodeBodySchema, checkedFlowsSchema, flowReportSchema } from '@millrace/contracts';
import { editedCodeQuery } from '../flows/edited-code-parameter';
import { json, jsonBody } from '../openapi/operation';
import type { Operation } from '../openapi/operation';
import { flowOperations } from './flow-operations';

/** What the routes promise that tell how flows would run. */
export const flowCheckOperations = {
  check: {
    summary: 'Say how the flows of an export would run, without filing them',
    query: editedCodeQuery,
    body: flowOperations.upload.body,
    answers: { 200: json('Each flow: what becomes of a run, and how each vertex runs', checkedFlowsSchema) },
    errors: ['invalid_flow'],
  },
  accept: {
    summary: 'Accept the stock component in place of the code that vertices carry',
    body: jsonBody(acceptedCodeBodySchema),
    answers: { 200: json('How the flow runs now', flowReportSchema) },
    errors: ['flow_unknown', 'invalid_value', 'invalid_flow'],
  },
} as const satisfies Record<string, Operation>;
