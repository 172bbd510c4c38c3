import { transactionPageSchema, vertexBuildsSchema } from '@millrace/contracts';
import { collectFaults } from '../http/collect-faults';
import { missing } from '../http/fault-items';
import { integerParameter, uuidParameter } from '../http/query';
import { forManagement, forReading } from '../http/route';
import type { KeyedCall, Route } from '../http/route';
import { sendJson } from '../http/send-json';
import { invalidRequest } from '../http/validator';
import { json, nothing, queryParameter } from '../openapi/operation';
import type { Operation } from '../openapi/operation';

const LARGEST_PAGE = 100;
const flow = { flow_id: { ...queryParameter('uuid', 'The flow'), required: true } };
const operations = {
  builds: {
    summary: 'What vertices gave, as an editor shows it: nothing is kept of them',
    query: flow,
    answers: { 200: json('An empty object', vertexBuildsSchema) },
  },
  removeBuilds: {
    summary: 'Delete what vertices gave',
    query: flow,
    answers: { 204: nothing('There is nothing') },
  },
  transactions: {
    summary: 'What went from vertex to vertex: nothing is kept of it',
    query: {
      ...flow,
      page: queryParameter('integer', 'Which page', { minimum: 1 }),
      size: queryParameter('integer', 'How many on a page', { minimum: 1 }),
    },
    answers: { 200: json('An empty page', transactionPageSchema) },
  },
} as const satisfies Record<string, Operation>;

/** What editors ask about vertices. Runs keep their results and messages, not what each vertex gave. */
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
    const [page, size] = collectFaults(
      () => integerParameter(query, 'page', { absent: 1, minimum: 1, maximum: 1_000_000 }),
      () => integerParameter(query, 'size', { absent: 50, minimum: 1, maximum: LARGEST_PAGE }),
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
