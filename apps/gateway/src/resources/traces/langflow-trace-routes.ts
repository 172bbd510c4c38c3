import { langflowTracePageSchema, langflowTraceSchema } from './langflow-trace-schemas';
import { HttpError } from '@millrace/http';
import type { AuditLog, FlowStore, TraceFilter, TraceStore } from '@millrace/runs';
import { collectValidationErrors, invalidRequest } from '../../http/validation/validator';
import { integerParameter, timeParameter, uuidParameter } from '../../http/validation/query';
import { forManagement, forReading } from '../../http/routing/access';
import { keyedRoute, pathParameter } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson, sendNothing } from '../../http/answers/send-json';
import { parseUuidStrictly } from '../../http/validation/uuid-text';
import { missing } from '../../http/validation/validation-items';
import { json, nothing, queryParameter } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import type { ReadYourWrites } from '../../runs/read-your-writes';
import { deleteTrace, deleteTracesOfFlow } from './delete-traces';
import { runStatusesOf, traceStatuses, traceSummaryView, wholeTraceView } from './langflow-view';
import type { TraceStatus } from './langflow-view';

const MAXIMUM_PAGE_SIZE = 200;
const MAXIMUM_PAGE = 1_000;
const MAXIMUM_TEXT_LENGTH = 50;
const operations = {
  list: {
    summary: 'List the vertex records of runs, newest first',
    query: {
      flow_id: queryParameter('uuid', 'Only runs of this flow'),
      session_id: queryParameter('string', 'Only runs of this session'),
      status: { description: 'Only runs with this status', schema: { enum: traceStatuses } },
      query: queryParameter('string', 'A part of the name of the flow, of the run id or of the session id'),
      start_time: queryParameter('string', 'Only runs accepted at this time or later'),
      end_time: queryParameter('string', 'Only runs accepted at this time or earlier'),
      page: queryParameter('integer', 'Number of the page; 0 is the first page, too', {
        minimum: 0,
        default: 1,
      }),
      size: queryParameter('integer', 'Entries per page', { minimum: 1, maximum: 200, default: 50 }),
    },
    answers: {
      200: json('A page of traces; of more than 10,000, no more are counted', langflowTracePageSchema),
    },
  },
  read: {
    summary: 'Read the vertex records of a run as spans',
    answers: { 200: json('The trace', langflowTraceSchema) },
    errors: ['not_found'],
  },
  remove: {
    summary: 'Delete the vertex records of a run',
    answers: { 204: nothing('The records are deleted; the run stays') },
    errors: ['not_found'],
  },
  removeOfFlow: {
    summary: 'Delete the vertex records of all runs of a flow',
    query: { flow_id: { ...queryParameter('uuid', 'The flow'), required: true } },
    answers: { 204: nothing('The records are deleted; the runs stay') },
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;

export interface LangflowTraceRoutesOptions {
  readonly traces: TraceStore;
  readonly audit: AuditLog;
  readonly flows: FlowStore;
  readonly readYourWrites: ReadYourWrites;
}

/** Vertex records in the shape of Langflow's traces; a trace has the id of its run. */
export function langflowTraceRoutes({
  traces,
  audit,
  flows,
  readYourWrites,
}: LangflowTraceRoutesOptions): readonly Route[] {
  const list = async ({ query, response, principal: { userId } }: KeyedCall) => {
    const [filter, page, size] = collectValidationErrors(
      () => filterOf(query),
      () => integerParameter(query, 'page', { absent: 1, minimum: 0, maximum: MAXIMUM_PAGE }),
      () =>
        integerParameter(query, 'size', {
          absent: 50,
          minimum: 1,
          maximum: MAXIMUM_PAGE_SIZE,
          refusesMore: true,
        }),
    );
    await readYourWrites.settled(userId);
    const offset = (Math.max(1, page) - 1) * size;
    const found = await traces.list(userId, filter, { limit: size, offset });
    const total = await traces.count(userId, filter);
    const views = found.map(traceSummaryView);
    sendJson(response, 200, { traces: views, total, pages: Math.ceil(total / size) });
  };
  const read = async ({ request, response, principal: { userId } }: KeyedCall) => {
    const id = traceIdOf(request);
    await readYourWrites.settled(userId);
    const found = await traces.find(userId, id);
    if (!found) throw unknownTrace();
    sendJson(response, 200, wholeTraceView(found));
  };
  const remove = async (call: KeyedCall) => {
    if (!(await deleteTrace({ traces, audit }, call, traceIdOf(call.request)))) throw unknownTrace();
    sendNothing(call.response);
  };
  const removeOfFlow = async (call: KeyedCall) => {
    const { query, response, principal } = call;
    const flowId = uuidParameter(query, 'flow_id');
    if (flowId === undefined) throw invalidRequest([missing(['query', 'flow_id'], null)]);
    if (!(await flows.find(principal.userId, flowId))) throw new HttpError('not_found', 'Flow not found');
    await deleteTracesOfFlow({ traces, audit }, call, flowId);
    sendNothing(response);
  };
  const path = '/api/v1/monitor/traces';
  const one = `${path}/:trace_id`;
  return [
    keyedRoute(`GET ${path}`, forReading, operations.list, list),
    keyedRoute(`DELETE ${path}`, forManagement, operations.removeOfFlow, removeOfFlow),
    keyedRoute(`GET ${one}`, forReading, operations.read, read),
    keyedRoute(`DELETE ${one}`, forManagement, operations.remove, remove),
  ];
}

function traceIdOf(request: KeyedCall['request']): string {
  return parseUuidStrictly(pathParameter(request, 'trace_id'), ['path', 'trace_id']);
}

function unknownTrace(): HttpError {
  return new HttpError('not_found', 'Trace not found');
}

function filterOf(query: URLSearchParams): TraceFilter {
  const [flowId, status, from, to] = collectValidationErrors(
    () => uuidParameter(query, 'flow_id'),
    () => statusOf(query),
    () => timeParameter(query, 'start_time'),
    () => timeParameter(query, 'end_time'),
  );
  return {
    flowId,
    sessionId: query.get('session_id') ?? undefined,
    statuses: status && runStatusesOf(status),
    text: searchText(query.get('query')),
    from,
    to,
  };
}

/** Keeps printable ASCII characters, up to 50, as Langflow does. */
function searchText(text: string | null): string | undefined {
  const printable = (text ?? '').replaceAll(/[^ -~]/g, '').trim();
  return printable === '' ? undefined : printable.slice(0, MAXIMUM_TEXT_LENGTH);
}

function statusOf(query: URLSearchParams): TraceStatus | undefined {
  const text = query.get('status');
  if (text === null) return undefined;
  const status = traceStatuses.find((known) => known === text);
  if (status) return status;
  const expected = `'unset', 'ok' or 'error'`;
  const msg = `Input should be ${expected}`;
  throw invalidRequest([{ type: 'enum', loc: ['query', 'status'], msg, input: text, ctx: { expected } }]);
}
