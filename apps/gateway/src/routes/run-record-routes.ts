import { cancelledRunSchema, runListSchema, runRecordSchema } from '@millrace/contracts';
import type { RunStore } from '@millrace/runs';
import { pythonIsoFormat } from '../http/date-time';
import { collectFaults } from '../http/collect-faults';
import { integerParameter, uuidParameter } from '../http/query';
import { forReading } from '../http/route';
import type { KeyedCall, Route } from '../http/route';
import { sendJson } from '../http/send-json';
import { json, queryParameter } from '../openapi/operation';
import type { Operation } from '../openapi/operation';
import type { ControlChannel } from '../runs/control-channel';
import { storedEnding } from '../runs/durable-runs';
import type { UnrecordedRuns } from '../runs/unrecorded-runs';
import { READ_PATIENCE_MILLISECONDS } from '../runs/unrecorded-runs';
import type { WaitingRuns, WaitingState } from '../runs/waiting-runs';
import { runIdOf, runSummary, RUN_STATUSES, statusParameter, unknownRun } from './run-view';

export interface RunRecordRoutesOptions {
  readonly runs: RunStore;
  readonly waiting: WaitingRuns;
  readonly unrecorded: UnrecordedRuns;
  readonly control: ControlChannel;
}

const LARGEST_PAGE = 200;
const operations = {
  list: {
    summary: 'List runs, the newest first',
    query: {
      flow_id: queryParameter('uuid', 'Only those of this flow'),
      before: queryParameter('uuid', 'Only those older than this run'),
      status: { description: 'Only those in this state', schema: { enum: RUN_STATUSES } },
      limit: queryParameter('integer', 'How many at most, up to 200', { minimum: 1 }),
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
    const [flowId, before, status, limit] = collectFaults(
      () => uuidParameter(query, 'flow_id'),
      () => uuidParameter(query, 'before'),
      () => statusParameter(query, RUN_STATUSES),
      () => integerParameter(query, 'limit', { absent: 50, minimum: 1, maximum: LARGEST_PAGE }),
    );
    await unrecorded.settled(principal.userId, READ_PATIENCE_MILLISECONDS);
    const found = await runs.list(principal.userId, { flowId, status, before, limit });
    sendJson(response, 200, { runs: found.map(runSummary) });
  };
  const read = async ({ request, response, principal }: KeyedCall) => {
    const id = runIdOf(request);
    await unrecorded.settled(principal.userId, READ_PATIENCE_MILLISECONDS);
    const record = await runs.find(principal.userId, id);
    if (record)
      return sendJson(response, 200, {
        ...runSummary(record),
        result: record.result ?? null,
      });
    const found = await waiting.find(principal.userId, id);
    if (!found) throw unknownRun();
    sendJson(response, 200, { ...waitingSummary(found), result: null });
  };
  const cancel = async ({ request, response, principal }: KeyedCall) => {
    const id = runIdOf(request);
    const record = await runs.requestCancel(principal.userId, id);
    if (!record && !(await waiting.find(principal.userId, id))) throw unknownRun();
    // Only after its owner asked: the message itself names no user.
    if (!record || !storedEnding(record))
      await control.send({ kind: 'cancel', runId: id, reason: 'asked by its owner' });
    sendJson(response, 202, record ? runSummary(record) : { id, status: 'running' });
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
    error: null,
  };
}
