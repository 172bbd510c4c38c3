import { workflowStopBodySchema } from '@millrace/contracts';
import type { WorkflowStopBody } from '@millrace/contracts';
import type { KeyedStreams } from '../authentication/keyed-streams';
import type { WaitingCallers } from '../runs/waiting-callers';
import { valueError } from '../http/fault-items';
import { requestIdOf } from '../http/request-id';
import { requireBody } from '../http/require-body';
import { forReading, pathParameter } from '../http/route';
import type { KeyedCall, Route } from '../http/route';
import { sendJson } from '../http/send-json';
import { normalizeUuid, parseUuidStrictly } from '../http/uuid-text';
import { createValidator, invalidRequest } from '../http/validator';
import { followRun } from '../run-events/follow-run';
import type { FollowRunOptions } from '../run-events/follow-run';
import { headerVariables } from '../runs/header-variables';
import { missingJobId } from '../workflows/workflow-errors';
import { workflowRequest } from '../workflows/workflow-request';
import type { WorkflowRuns } from '../workflows/workflow-runs';
import { workflowJob } from '../workflows/workflow-view';
import { workflowOperations } from './workflow-operations';

export interface WorkflowRoutesOptions {
  readonly workflows: WorkflowRuns;
  readonly following: FollowRunOptions;
  readonly streams: KeyedStreams;
  readonly callers: WaitingCallers;
}

const validateStop = createValidator(workflowStopBodySchema);
const PATH = '/api/v2/workflows';

/** Flows as jobs: run, look, follow, stop. */
export function workflowRoutes({
  workflows,
  following,
  streams,
  callers,
}: WorkflowRoutesOptions): readonly Route[] {
  const run = async (call: KeyedCall) => {
    const { request, response, body, principal } = call;
    const { userId } = principal;
    requireBody(body);
    const wanted = workflowRequest(body, headerVariables(request.headers));
    if (wanted.mode === 'sync') {
      return sendJson(response, 200, await workflows.whole(response, userId, wanted));
    }
    if (wanted.mode === 'stream') {
      callers.enter(userId);
      response.once('close', () => callers.leave(userId));
    }
    const runId = await workflows.start(userId, wanted, requestIdOf(response));
    if (wanted.mode === 'stream') return follow(call, runId);
    response.setHeader('x-run-id', runId);
    const { flowId, globals } = wanted;
    sendJson(response, 200, workflowJob({ runId, flowId, globals }, 'queued'));
  };
  const look = async ({ query, response, principal }: KeyedCall) => {
    const text = query.get('job_id');
    if (text === null) throw missingJobId();
    const runId = normalizeUuid(text);
    if (runId === null)
      throw invalidRequest([valueError(['query', 'job_id'], text, 'Invalid job_id, must be a UUID')]);
    sendJson(response, 200, await workflows.look(principal.userId, runId));
  };
  const stop = async ({ body, response, principal }: KeyedCall) => {
    requireBody(body);
    validateStop(body);
    const { job_id: text } = body as WorkflowStopBody;
    const runId = normalizeUuid(text) ?? text;
    sendJson(response, 200, { job_id: runId, message: await workflows.stop(principal.userId, runId) });
  };
  const events = async (call: KeyedCall) => {
    const runId = parseUuidStrictly(pathParameter(call.request, 'job_id'), ['path', 'job_id']);
    await workflows.find(call.principal.userId, runId);
    return follow(call, runId);
  };
  const follow = ({ request, response, principal }: KeyedCall, runId: string) => {
    streams.hold(principal.keyHash, response);
    return followRun(following, response, {
      userId: principal.userId,
      runId,
      after: lastEventId(request.headers['last-event-id']),
      headers: { 'x-run-id': runId },
      closing: (record) => workflows.closing(record),
    });
  };
  const { run: running, look: looking, events: eventing, stop: stopping } = workflowOperations;
  return [
    { method: 'POST', path: PATH, access: forReading, body: 'json', operation: running, handle: run },
    { method: 'GET', path: PATH, access: forReading, operation: looking, handle: look },
    {
      method: 'POST',
      path: `${PATH}/stop`,
      access: forReading,
      body: 'json',
      operation: stopping,
      handle: stop,
    },
    {
      method: 'GET',
      path: `${PATH}/:job_id/events`,
      access: forReading,
      operation: eventing,
      handle: events,
    },
  ];
}

/** What is no number of ours is no event the caller has. */
function lastEventId(header: string | string[] | undefined): number {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : 0;
}
