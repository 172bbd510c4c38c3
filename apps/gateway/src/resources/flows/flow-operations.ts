import {
  exportedFlowSchema,
  storedFlowSchema,
  flowDeletedSchema,
  flowsAnswerSchema,
  flowSchema,
  flowsDeletedSchema,
} from './flow-schemas';
import { flowChangesSchema, flowListSchema, newFlowSchema } from '../../flow-changes/flow-bodies';
import { idListSchema } from '../../http/bodies/id-list-schema';
import { editedCodeQuery } from './edited-code-parameter';
import { json, jsonBody, queryParameter } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';

const createdFlows = { type: 'array', items: storedFlowSchema };

const ifMatch = {
  'if-match':
    'The `version_token` of the flow that the change depends on; if the flow has another one, the answer is 409.',
};

/** Documentation of the routes for flows. */
export const flowOperations = {
  create: {
    summary: 'Create a flow',
    query: editedCodeQuery,
    body: jsonBody(newFlowSchema),
    answers: { 201: json('The flow and its problems', storedFlowSchema) },
    errors: ['duplicate', 'invalid_flow', 'too_many_triggers'],
  },
  list: {
    summary: 'List flows',
    query: {
      folder_id: queryParameter('uuid', 'Only flows of this folder'),
      flow_type: {
        description: 'Only flows of these types; several are separated by commas',
        schema: { type: 'string', pattern: '^(workflow|agent)(,(workflow|agent))*$' },
      },
      components_only: queryParameter('boolean', 'Only components', { default: false }),
      remove_example_flows: queryParameter('boolean', 'Without effect: there are no example flows', {
        default: false,
      }),
      header_flows: queryParameter('boolean', 'Omits the documents', { default: false }),
      get_all: queryParameter('boolean', 'False returns one page of the flows of a project', {
        default: true,
      }),
      page: queryParameter('integer', 'Number of the page, from 1', { minimum: 1, default: 1 }),
      size: queryParameter('integer', 'Flows per page', { minimum: 1, maximum: 100, default: 50 }),
    },
    answers: { 200: json('The flows, or one page of them', flowsAnswerSchema) },
  },
  deleteMany: {
    summary: 'Delete flows',
    body: jsonBody(idListSchema),
    answers: { 200: json('The number of deleted flows', flowsDeletedSchema) },
  },
  upload: {
    summary: 'Create the flows of an export, or of a ZIP archive of exports',
    query: editedCodeQuery,
    body: {
      'multipart/form-data': {
        type: 'object',
        required: ['file'],
        properties: { file: { type: 'string', format: 'binary' } },
      },
      ...jsonBody({ anyOf: [newFlowSchema, flowListSchema, { type: 'array', items: newFlowSchema }] }),
    },
    answers: { 201: json('The flows', createdFlows) },
    errors: ['duplicate', 'invalid_flow', 'too_many_triggers'],
  },
  batch: {
    summary: 'Create several flows',
    query: editedCodeQuery,
    body: jsonBody(flowListSchema),
    answers: { 201: json('The flows', createdFlows) },
    errors: ['duplicate', 'invalid_flow', 'too_many_triggers'],
  },
  download: {
    summary: 'Export flows',
    body: jsonBody(idListSchema),
    answers: {
      200: {
        description: 'One flow as JSON, several flows as a ZIP archive; without secrets',
        content: {
          'application/json': exportedFlowSchema,
          'application/x-zip-compressed': { type: 'string', format: 'binary' },
        },
      },
    },
    errors: ['not_found', 'invalid_value'],
  },
  read: {
    summary: 'Read a flow',
    answers: { 200: json('The flow', flowSchema) },
    errors: ['flow_unknown'],
  },
  update: {
    summary: 'Change a flow; its settings are merged',
    headers: ifMatch,
    body: jsonBody(flowChangesSchema),
    answers: { 200: json('The changed flow', storedFlowSchema) },
    errors: [
      'flow_unknown',
      'duplicate',
      'invalid_flow',
      'invalid_value',
      'too_many_triggers',
      'flow_locked',
      'flow_version_conflict',
    ],
  },
  put: {
    summary: 'Replace a flow with its settings, or create it with this id',
    headers: ifMatch,
    body: jsonBody(newFlowSchema),
    answers: {
      200: json('The changed flow', storedFlowSchema),
      201: json('The new flow', storedFlowSchema),
    },
    errors: [
      'flow_unknown',
      'duplicate',
      'invalid_flow',
      'invalid_value',
      'too_many_triggers',
      'flow_locked',
      'flow_version_conflict',
    ],
  },
  remove: {
    summary: 'Delete a flow',
    answers: { 200: json('The flow was deleted', flowDeletedSchema) },
    errors: ['flow_unknown'],
  },
} as const satisfies Record<string, Operation>;
