import {
  exportedFlowSchema,
  filedFlowSchema,
  flowChangesSchema,
  flowDeletedSchema,
  flowListSchema,
  flowsAnswerSchema,
  flowSchema,
  flowsDeletedSchema,
  idListSchema,
  newFlowSchema,
} from '@millrace/contracts';
import { editedCodeQuery } from '../flows/edited-code-parameter';
import { json, jsonBody, queryParameter } from '../openapi/operation';
import type { Operation } from '../openapi/operation';

const filedFlows = { type: 'array', items: filedFlowSchema };

/** What the routes of flows promise. */
export const flowOperations = {
  create: {
    summary: 'File a flow',
    query: editedCodeQuery,
    body: jsonBody(newFlowSchema),
    answers: { 201: json('The flow, and what of it cannot run', filedFlowSchema) },
    errors: ['duplicate', 'invalid_flow'],
  },
  list: {
    summary: 'List flows',
    query: {
      folder_id: queryParameter('uuid', 'Only those of this folder'),
      components_only: queryParameter('boolean', 'Only those that are components'),
      header_flows: queryParameter('boolean', 'Without their documents'),
      get_all: queryParameter('boolean', 'False gives one page'),
      page: queryParameter('integer', 'Which page, from 1', { minimum: 1 }),
      size: queryParameter('integer', 'How many a page holds, up to 100', { minimum: 1 }),
    },
    answers: { 200: json('The flows, or one page of them', flowsAnswerSchema) },
  },
  deleteMany: {
    summary: 'Delete flows',
    body: jsonBody(idListSchema),
    answers: { 200: json('How many there were', flowsDeletedSchema) },
  },
  upload: {
    summary: 'File the flows of an export, or of a ZIP archive of them',
    query: editedCodeQuery,
    body: {
      'multipart/form-data': {
        type: 'object',
        required: ['file'],
        properties: { file: { type: 'string', format: 'binary' } },
      },
      ...jsonBody({ anyOf: [newFlowSchema, flowListSchema, { type: 'array', items: newFlowSchema }] }),
    },
    answers: { 201: json('The flows', filedFlows) },
    errors: ['duplicate', 'invalid_flow'],
  },
  batch: {
    summary: 'File several flows',
    query: editedCodeQuery,
    body: jsonBody(flowListSchema),
    answers: { 201: json('The flows', filedFlows) },
    errors: ['duplicate', 'invalid_flow'],
  },
  download: {
    summary: 'Export flows',
    body: jsonBody(idListSchema),
    answers: {
      200: {
        description: 'One flow as JSON, several as a ZIP archive; without secrets',
        content: {
          'application/json': exportedFlowSchema,
          'application/x-zip-compressed': { type: 'string', format: 'binary' },
        },
      },
    },
    errors: ['not_found'],
  },
  read: {
    summary: 'Read a flow',
    answers: { 200: json('The flow', flowSchema) },
    errors: ['flow_unknown'],
  },
  update: {
    summary: 'Change a flow',
    body: jsonBody(flowChangesSchema),
    answers: { 200: json('The flow as it is now', filedFlowSchema) },
    errors: ['flow_unknown', 'duplicate', 'invalid_flow'],
  },
  put: {
    summary: 'Replace a flow, or file it under this id',
    body: jsonBody(newFlowSchema),
    answers: {
      200: json('The flow as it is now', filedFlowSchema),
      201: json('The new flow', filedFlowSchema),
    },
    errors: ['flow_unknown', 'duplicate', 'invalid_flow'],
  },
  remove: {
    summary: 'Delete a flow',
    answers: { 200: json('It is gone', flowDeletedSchema) },
    errors: ['flow_unknown'],
  },
} as const satisfies Record<string, Operation>;
