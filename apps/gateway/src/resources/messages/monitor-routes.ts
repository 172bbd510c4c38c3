import { transactionPageSchema, vertexBuildsSchema } from '@millrace/contracts';
import { collectValidationErrors } from '../../http/collect-validation-errors';
import { missing } from '../../http/validation-items';
import { integerParameter, uuidParameter } from '../../http/query';
import { forManagement, forReading } from '../../http/route';
import type { KeyedCall, Route } from '../../http/route';
import { sendJson } from '../../http/send-json';
import { invalidRequest } from '../../http/validator';
import { json, nothing, queryParameter } from '../../openapi/operation';
import type { Operation } from '../../openapi/operation';

const MAXIMUM_PAGE_SIZE = 100;
const flow = { flow_id: { ...queryParameter('uuid', 'The flow'), required: true } };
const operations = {
  builds: {
    summary: 'Read the outputs of vertices for an editor; they are not stored',
    query: flow,
    answers: { 200: json('An empty object', vertexBuildsSchema) },
  },
  removeBuilds: {
    summary: 'Delete the outputs of vertices',
    query: flow,
    answers: { 204: nothing('No outputs are stored') },
  },
  transactions: {
    summary: 'List the values passed between vertices; they are not stored',
    query: {
      ...flow,
      page: queryParameter('integer', 'Number of the page', { minimum: 1 }),
      size: queryParameter('integer', 'Entries per page', { minimum: 1 }),
    },
    answers: { 200: json('An empty page', transactionPageSchema) },
  },
} as const satisfies Record<string, Operation>;

/**
 * Routes that editors use to inspect vertices. They answer with nothing, since only results and messages are stored.
 */
export function monitorRoutes(): readonly Route[] {
  const builds = ({ query, response }: KeyedCall) => {
    requireFlow(query);
    sendJson(response, 200, { vertex_builds: {} });
  };
  const removeBuilds = ({ query, response }: KeyedCall) => {
    requireFlow(query);
    response.writeHead(204).end();
  };
  const transactions = ({ query, response }: KeyedCall) => {
    const [page, size] = collectValidationErrors(
      () => integerParameter(query, 'page', { absent: 1, minimum: 1, maximum: 1_000_000 }),
      () => integerParameter(query, 'size', { absent: 50, minimum: 1, maximum: MAXIMUM_PAGE_SIZE }),
      () => requireFlow(query),
    );
    sendJson(response, 200, { items: [], total: 0, page, size, pages: 0 });
  };
  const root = '/api/v1/monitor';
  return [
    {
      method: 'GET',
      path: `${root}/builds`,
      access: forReading,
      operation: operations.builds,
      handle: builds,
    },
    {
      method: 'DELETE',
      path: `${root}/builds`,
      access: forManagement,
      operation: operations.removeBuilds,
      handle: removeBuilds,
    },
    {
      method: 'GET',
      path: `${root}/transactions`,
      access: forReading,
      operation: operations.transactions,
      handle: transactions,
    },
  ];
}

function requireFlow(query: URLSearchParams): void {
  if (uuidParameter(query, 'flow_id') === undefined)
    throw invalidRequest([missing(['query', 'flow_id'], null)]);
}
