import { runTraceSchema } from './run-trace-schema';
import { HttpError } from '@millrace/http';
import type { RunStore, TraceStore } from '@millrace/runs';
import { forReading } from '../../http/routing/access';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { json, queryParameter } from '../../http/routing/operation';
import { booleanParameter } from '../../http/validation/query';
import type { Operation } from '../../http/routing/operation';
import type { ReadYourWrites } from '../../runs/read-your-writes';
import type { LiveVertices } from '../../runs/live-vertices';
import type { RunLocator } from '../../runs/run-locator';
import { ownerOf, ownerQuery } from '../runs/run-owner';
import type { RunOwnerOptions } from '../runs/run-owner';
import { runIdOf, unknownRun } from '../runs/run-view';
import { traceView } from './trace-view';

const operation = {
  summary:
    'Read what the vertices of a run did: kept for failed runs, for others at low rates, and for a sample of the rest',
  query: {
    ...ownerQuery,
    live: queryParameter('boolean', 'Of a running run, what its vertices have done so far'),
  },
  answers: { 200: json('The vertices of the run', runTraceSchema) },
  errors: ['not_found', 'permission_denied'],
} as const satisfies Operation;

export interface RunTraceRoutesOptions extends RunOwnerOptions {
  readonly runs: RunStore;
  readonly traces: TraceStore;
  readonly runLocator: RunLocator;
  readonly liveVertices: LiveVertices;
  readonly readYourWrites: ReadYourWrites;
}

/** The route that reads what the vertices of a run did. */
export function runTraceRoutes(options: RunTraceRoutesOptions): readonly Route[] {
  const { runs, traces, runLocator, liveVertices, readYourWrites } = options;
  const read = async (call: KeyedCall) => {
    const { request, response, principal } = call;
    const id = runIdOf(request);
    await readYourWrites.settled(principal.userId);
    const isLive = booleanParameter(call.query, 'live', false);
    const userId = await ownerOf(options, call, id);
    const found = await traces.find(userId, id);
    // The stored trace of a running run is that of an attempt before.
    if (found && !(isLive && found.status === 'running')) return sendJson(response, 200, traceView(found));
    const record = found ?? (await runs.findSummary(userId, id)) ?? (await runLocator.find(userId, id));
    if (!record) throw unknownRun(id);
    const isRunning = !('status' in record) || record.status === 'running';
    const trace = isLive && isRunning ? await liveVertices.ask(id) : null;
    if (trace) {
      const { flowId, sessionId } = record;
      return sendJson(
        response,
        200,
        traceView({ runId: id, flowId, sessionId, status: 'running', usage: null, trace }),
      );
    }
    if (found) return sendJson(response, 200, traceView(found));
    throw new HttpError('not_found', 'The run has no vertex records');
  };
  const path = '/api/v1/runs/:run_id/trace';
  return [{ method: 'GET', path, access: forReading, operation, handle: read }];
}
