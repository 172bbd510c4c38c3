import { transactionPageSchema, vertexBuildsSchema } from './monitor-schemas';
import type { AuditLog, StoredTrace, TraceStore, VertexTrace } from '@millrace/runs';
import { collectValidationErrors, invalidRequest } from '../../http/validation/validator';
import { missing } from '../../http/validation/validation-items';
import { integerParameter, uuidParameter } from '../../http/validation/query';
import { forManagement, forReading } from '../../http/routing/access';
import { keyedRoute } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson, sendNothing } from '../../http/answers/send-json';
import { json, nothing, queryParameter } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import type { ReadYourWrites } from '../../runs/read-your-writes';
import { deleteTracesOfFlow } from './delete-traces';
import { buildView, transactionView } from './langflow-view';

const MAXIMUM_PAGE_SIZE = 100;
/** The lists have the vertices of the newest traces of the flow. */
const MAXIMUM_TRACES = 50;
const flow = { flow_id: { ...queryParameter('uuid', 'The flow'), required: true } };
const operations = {
  builds: {
    summary: 'Read the newest record of each vertex of a flow',
    query: flow,
    answers: { 200: json('A list with one record by vertex, from the newest 50 runs', vertexBuildsSchema) },
  },
  removeBuilds: {
    summary: 'Delete the vertex records of all runs of a flow',
    query: flow,
    answers: { 204: nothing('The records are deleted; the runs stay') },
  },
  transactions: {
    summary: 'List the vertex records of the newest 50 runs of a flow, newest first',
    query: {
      ...flow,
      page: queryParameter('integer', 'Number of the page', { minimum: 1 }),
      size: queryParameter('integer', 'Entries per page', { minimum: 1 }),
    },
    answers: { 200: json('A page of vertex records', transactionPageSchema) },
  },
} as const satisfies Record<string, Operation>;

export interface MonitorRoutesOptions {
  readonly traces: TraceStore;
  readonly audit: AuditLog;
  readonly readYourWrites: ReadYourWrites;
}

interface TracedVertex {
  readonly stored: StoredTrace;
  readonly vertex: VertexTrace;
  readonly index: number;
}

/** Routes that editors use to inspect vertices, from the vertex records of runs. */
export function monitorRoutes({ traces, audit, readYourWrites }: MonitorRoutesOptions): readonly Route[] {
  /** Returns the vertices of the newest traces, the last one of the newest run first. */
  const newestVertices = async (userId: string, flowId: string): Promise<readonly TracedVertex[]> => {
    await readYourWrites.settled(userId);
    const found = await traces.list(userId, { flowId }, { limit: MAXIMUM_TRACES });
    return found.flatMap((stored) =>
      stored.trace.vertices.map((vertex, index) => ({ stored, vertex, index })).reverse(),
    );
  };
  const builds = async ({ query, response, principal: { userId } }: KeyedCall) => {
    const byVertex = new Map<string, TracedVertex>();
    for (const found of await newestVertices(userId, requiredFlow(query)))
      if (!byVertex.has(found.vertex.id)) byVertex.set(found.vertex.id, found);
    const entries = [...byVertex].map(([id, { stored, vertex, index }]) => [
      id,
      [buildView(stored, vertex, index)],
    ]);
    sendJson(response, 200, { vertex_builds: Object.fromEntries(entries) as unknown });
  };
  const removeBuilds = async (call: KeyedCall) => {
    await deleteTracesOfFlow({ traces, audit }, call, requiredFlow(call.query));
    sendNothing(call.response);
  };
  const transactions = async ({ query, response, principal: { userId } }: KeyedCall) => {
    const readPage = () => integerParameter(query, 'page', { absent: 1, minimum: 1, maximum: 1_000_000 });
    const readSize = () =>
      integerParameter(query, 'size', { absent: 50, minimum: 1, maximum: MAXIMUM_PAGE_SIZE });
    // Langflow checks the page twice, and reports it twice.
    const [page, size, , , flowId] = collectValidationErrors(readPage, readSize, readPage, readSize, () =>
      requiredFlow(query),
    );
    const found = await newestVertices(userId, flowId);
    const items = found
      .slice((page - 1) * size, page * size)
      .map(({ stored, vertex, index }) => transactionView(stored, vertex, index));
    const total = found.length;
    sendJson(response, 200, { items, total, page, size, pages: Math.ceil(total / size) });
  };
  const root = '/api/v1/monitor';
  return [
    keyedRoute(`GET ${root}/builds`, forReading, operations.builds, builds),
    keyedRoute(`DELETE ${root}/builds`, forManagement, operations.removeBuilds, removeBuilds),
    keyedRoute(`GET ${root}/transactions`, forReading, operations.transactions, transactions),
  ];
}

function requiredFlow(query: URLSearchParams): string {
  const flowId = uuidParameter(query, 'flow_id');
  if (flowId === undefined) throw invalidRequest([missing(['query', 'flow_id'], null)]);
  return flowId;
}
