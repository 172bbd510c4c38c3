import { cancelledRunSchema, runListSchema, runRecordSchema } from '@millrace/contracts';
import type { RunRecord, RunStatus, RunStore } from '@millrace/runs';
import { pythonIsoFormat } from '../http/date-time';
import { integerParameter, uuidParameter } from '../http/query';
import { RequestError } from '../http/request-error';
import { forReading, pathParameter } from '../http/route';
import type { KeyedCall, Route } from '../http/route';
import { sendJson } from '../http/send-json';
import { parseUuidStrictly } from '../http/uuid-text';
import { invalidRequest } from '../http/validator';
import { json, queryParameter } from '../openapi/operation';
import type { Operation } from '../openapi/operation';
import type { ControlChannel } from '../runs/control-channel';
import { storedEnding } from '../runs/durable-runs';
import type { UnrecordedRuns } from '../runs/unrecorded-runs';
import { READ_PATIENCE_MILLISECONDS } from '../runs/unrecorded-runs';
import type { WaitingRuns, WaitingState } from '../runs/waiting-runs';

export interface RunRecordRoutesOptions {
  readonly runs: RunStore;
  readonly waiting: WaitingRuns;
  readonly unrecorded: UnrecordedRuns;
  readonly control: ControlChannel;
}

const STATUSES: readonly RunStatus[] = [
  'accepted',
  'queued',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
  'dead',
];
const LARGEST_PAGE = 200;
const operations = {
  list: {
    summary: 'List runs, the newest first',
    query: {
      flow_id: queryParameter('uuid', 'Only those of this flow'),
      before: queryParameter('uuid', 'Only those older than this run'),
      status: { description: 'Only those in this state', schema: { enum: STATUSES } },
      limit: queryParameter('integer', 'How many at most, up to 200'),
    },
    answers: { 200: json('The runs', runListSchema) },
  },
  read: {
    summary: 'Read a run: state, timings, result',
    answers: { 200: json('The run', runRecordSchema) },
    errors: ['not_found'],
  },
  cancel: {
    summary: 'Cancel a run',
    answers: { 202: json('The run; it ends soon', cancelledRunSchema) },
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;

/** Runs as records: list, read (state, timings, result) and cancel. */
export function runRecordRoutes({
  runs,
  waiting,
  unrecorded,
  control,
}: RunRecordRoutesOptions): readonly Route[] {
  const list = async ({ query, response, principal }: KeyedCall) => {
    const flowId = uuidParameter(query, 'flow_id');
    const before = uuidParameter(query, 'before');
    const status = statusOf(query);
    const limit = integerParameter(query, 'limit', { absent: 50, minimum: 1, maximum: LARGEST_PAGE });
    await unrecorded.settled(principal.userId, READ_PATIENCE_MILLISECONDS);
    const found = await runs.list(principal.userId, { flowId, status, before, limit });
    sendJson(response, 200, { runs: found.map(summary) });
  };
  const read = async ({ request, response, principal }: KeyedCall) => {
    const id = runId(request);
    await unrecorded.settled(principal.userId, READ_PATIENCE_MILLISECONDS);
    const record = await runs.find(principal.userId, id);
    if (record)
      return sendJson(response, 200, {
        ...summary(record),
        result: record.result ?? null,
        error: record.failure,
      });
    const found = await waiting.find(principal.userId, id);
    if (!found) throw unknownRun();
    sendJson(response, 200, { ...waitingSummary(found), result: null, error: null });
  };
  const cancel = async ({ request, response, principal }: KeyedCall) => {
    const id = runId(request);
    const record = await runs.requestCancel(principal.userId, id);
    if (!record && !(await waiting.find(principal.userId, id))) throw unknownRun();
    // Only after its owner asked: the message itself names no user.
    if (!record || !storedEnding(record))
      await control.send({ kind: 'cancel', runId: id, reason: 'asked by its owner' });
    sendJson(response, 202, record ? summary(record) : { id, status: 'running' });
  };
  return [
    { method: 'GET', path: '/api/v1/runs', access: forReading, operation: operations.list, handle: list },
    {
      method: 'GET',
      path: '/api/v1/runs/:run_id',
      access: forReading,
      operation: operations.read,
      handle: read,
    },
    {
      method: 'POST',
      path: '/api/v1/runs/:run_id/cancel',
      access: forReading,
      operation: operations.cancel,
      handle: cancel,
    },
  ];
}

function summary(run: RunRecord): Record<string, unknown> {
  return {
    id: run.id,
    flow_id: run.flowId,
    flow_version: run.flowVersion,
    session_id: run.sessionId,
    status: run.status,
    attempt: run.attempt,
    origin: run.origin,
    lane: run.lane,
    pool: run.pool,
    accepted_at: pythonIsoFormat(run.acceptedAt),
    queued_at: run.queuedAt && pythonIsoFormat(run.queuedAt),
    started_at: run.startedAt && pythonIsoFormat(run.startedAt),
    finished_at: run.finishedAt && pythonIsoFormat(run.finishedAt),
  };
}

/** A run that has no row, because it goes on while its caller waits. */
function waitingSummary({ runId, flowId, sessionId, pool, attempt, acceptedAt }: WaitingState) {
  return {
    id: runId,
    flow_id: flowId,
    session_id: sessionId,
    status: 'running',
    attempt: Math.max(1, attempt),
    lane: 'interactive',
    pool,
    accepted_at: pythonIsoFormat(acceptedAt),
    finished_at: null,
  };
}

function statusOf(query: URLSearchParams): RunStatus | undefined {
  const text = query.get('status');
  if (text === null) return undefined;
  const status = STATUSES.find((known) => known === text);
  if (status) return status;
  const expected = STATUSES.map((known) => `'${known}'`).join(', ');
  const msg = `Input should be one of ${expected}`;
  throw invalidRequest([
    { type: 'literal_error', loc: ['query', 'status'], msg, input: text, ctx: { expected } },
  ]);
}

function runId(request: KeyedCall['request']): string {
  return parseUuidStrictly(pathParameter(request, 'run_id'), ['path', 'run_id']);
}

function unknownRun(): RequestError {
  return new RequestError('not_found', 'Run not found');
}
