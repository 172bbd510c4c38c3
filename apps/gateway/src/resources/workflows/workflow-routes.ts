import { workflowResumeBodySchema, workflowStopBodySchema } from './workflow-bodies';
import type { WorkflowResumeBody, WorkflowStopBody } from './workflow-bodies';
import { factsOf, HttpError } from '@millrace/http';
import type { LangflowRelease } from '@millrace/service';
import { actorOf } from '../../authentication/actor-of';
import { refuseForeignNames } from '../../authentication/refuse-foreign-names';
import type { KeyedStreams } from '../../authentication/keyed-streams';
import type { UserConcurrencyLimit } from '../../runs/pending-runs';
import { booleanParameter, integerParameter, uuidParameter } from '../../http/validation/query';
import { missing, valueError } from '../../http/validation/validation-items';
import { requireBody } from '../../http/validation/require-body';
import { forReading } from '../../http/routing/access';
import { askedBy, pathParameter } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { normalizeUuid, parseUuidStrictly } from '../../http/validation/uuid-text';
import { createValidator, invalidRequest } from '../../http/validation/validator';
import { followRun } from '../../run-events/follow-run';
import type { FollowRunOptions } from '../../run-events/follow-run';
import { missingJobId, unknownResumable } from './workflow-errors';
import { eventForm, streamShape } from './stream-shape';
import type { StreamShape } from './stream-shape';
import { workflowRequest } from './workflow-request';
import { MAXIMUM_PENDING } from './human-requests';
import { requestCursorParameter } from './request-cursor';
import type { HumanRequests } from './human-requests';
import type { WorkflowRuns } from './workflow-runs';
import { workflowJob } from './workflow-view';
import { workflowOperations as operations } from './workflow-operations';
import { whenClosed } from '../../http/when-closed';

export interface WorkflowRoutesOptions {
  readonly workflows: WorkflowRuns;
  readonly humanRequests: Pick<HumanRequests, 'pending' | 'open' | 'answer'>;
  readonly following: FollowRunOptions;
  readonly streams: KeyedStreams;
  readonly concurrencyLimit: UserConcurrencyLimit;
  readonly release: LangflowRelease;
}

const validateStop = createValidator(workflowStopBodySchema);
const validateResume = createValidator(workflowResumeBodySchema);
const PATH = '/api/v2/workflows';
const OPEN_PATH = '/api/v1/pending';

/** Routes that run flows as jobs, and that read, follow and stop them. */
export function workflowRoutes({
  workflows,
  humanRequests,
  following,
  streams,
  concurrencyLimit,
  release,
}: WorkflowRoutesOptions): readonly Route[] {
  const run = async (call: KeyedCall) => {
    const { request, response, body, principal } = call;
    const { userId } = principal;
    requireBody(body);
    const wanted = workflowRequest(body, request.headers, release, call);
    refuseForeignNames(principal, wanted.flowId, wanted.run);
    if (wanted.mode === 'sync') {
      return sendJson(response, 200, await workflows.runAndWait(response, userId, wanted));
    }
    if (wanted.mode === 'stream') {
      concurrencyLimit.enter(userId);
      whenClosed(response, () => concurrencyLimit.leave(userId));
    }
    const runId = await workflows.start(userId, wanted, askedBy(response));
    if (wanted.mode === 'stream') return follow(call, { runId, shape: wanted.shape });
    response.setHeader('x-run-id', runId);
    const { flowId, globals } = wanted;
    factsOf(request).flowId = flowId;
    sendJson(response, 200, workflowJob({ runId, flowId, globals }, 'queued'));
  };
  const read = async ({ query, response, principal }: KeyedCall) => {
    const text = query.get('job_id');
    if (text === null) throw missingJobId();
    const runId = normalizeUuid(text);
    if (runId === null)
      throw invalidRequest([valueError(['query', 'job_id'], text, 'Invalid job_id, must be a UUID')]);
    sendJson(response, 200, await workflows.read(principal.userId, runId));
  };
  const pending = async ({ query, response, principal }: KeyedCall) => {
    const flowId = uuidParameter(query, 'flow_id');
    if (flowId === undefined) throw invalidRequest([missing(['query', 'flow_id'], null)]);
    const { requests, nextCursor } = await humanRequests.pending(principal.userId, flowId);
    // Langflow's shape has no place for a cursor.
    if (nextCursor !== null)
      response.setHeader('link', `<${OPEN_PATH}?flow_id=${flowId}&cursor=${nextCursor}>; rel="next"`);
    sendJson(response, 200, requests);
  };
  const open = async ({ query, response, principal }: KeyedCall) => {
    const flowId = uuidParameter(query, 'flow_id') ?? null;
    const runId = uuidParameter(query, 'run_id') ?? null;
    const limit = integerParameter(query, 'limit', {
      absent: MAXIMUM_PENDING,
      minimum: 1,
      maximum: MAXIMUM_PENDING,
    });
    const hasLinks = booleanParameter(query, 'links', false);
    const isMember = principal.member !== undefined;
    // A link answers without a key, so that it would give a key more than its bounds, and a member more than the role.
    if (hasLinks && isMember)
      throw new HttpError('permission_denied', 'A member of the project reads no links that answer.');
    if (hasLinks && principal.bounds?.access === 'read_only')
      throw new HttpError('permission_denied', 'This API key is read-only: it reads no links that answer.');
    const after = requestCursorParameter(query);
    const page = { flowId, runId, limit, after, hasLinks, isMember };
    sendJson(response, 200, await humanRequests.open(principal.userId, page));
  };
  const resume = async (call: KeyedCall) => {
    const { body, request, response, principal, endUser } = call;
    requireBody(body);
    validateResume(body);
    const text = pathParameter(request, 'job_id');
    const runId = normalizeUuid(text);
    if (runId === null) throw unknownResumable(text);
    const { request_id: requestId, decision = null } = body as WorkflowResumeBody;
    const answers = [{ requestId, decision }];
    const given = { userId: principal.userId, runId, answers, actor: actorOf(call), endUser };
    await humanRequests.answer(given);
    sendJson(response, 200, { job_id: runId, status: 'resuming', message: 'Resume accepted' });
  };
  const stop = async (call: KeyedCall) => {
    const { body, response, principal } = call;
    requireBody(body);
    validateStop(body);
    const { job_id: text } = body as WorkflowStopBody;
    const runId = normalizeUuid(text) ?? text;
    const message = await workflows.stop(principal.userId, runId, actorOf(call));
    sendJson(response, 200, { job_id: runId, message });
  };
  const events = async (call: KeyedCall) => {
    const runId = parseUuidStrictly(pathParameter(call.request, 'job_id'), ['path', 'job_id']);
    const shape = requestedShape(call.query);
    return follow(call, { runId, shape });
  };
  const follow = async ({ request, response, principal }: KeyedCall, { runId, shape }: Followed) => {
    const { flowId, sessionId } = await workflows.find(principal.userId, runId);
    streams.trackFlow(principal, flowId, response);
    const after = lastEventId(request.headers['last-event-id']);
    return followRun(following, response, {
      userId: principal.userId,
      runId,
      after,
      form: eventForm(shape, { runId, sessionId, after }),
      headers: { 'x-run-id': runId },
      closingEvents: (record) => workflows.closingEventsOf(record),
    });
  };
  return [
    { method: 'POST', path: PATH, access: forReading, body: 'json', operation: operations.run, handle: run },
    { method: 'GET', path: PATH, access: forReading, operation: operations.read, handle: read },
    {
      method: 'GET',
      path: `${PATH}/pending`,
      access: forReading,
      operation: operations.pending,
      handle: pending,
    },
    { method: 'GET', path: OPEN_PATH, access: forReading, operation: operations.open, handle: open },
    {
      method: 'POST',
      path: `${PATH}/:job_id/resume`,
      access: forReading,
      body: 'json',
      operation: operations.resume,
      handle: resume,
    },
    {
      method: 'POST',
      path: `${PATH}/stop`,
      access: forReading,
      body: 'json',
      operation: operations.stop,
      handle: stop,
    },
    {
      method: 'GET',
      path: `${PATH}/:job_id/events`,
      access: forReading,
      operation: operations.events,
      handle: events,
    },
  ];
}

interface Followed {
  readonly runId: string;
  readonly shape: StreamShape;
}

function requestedShape(query: URLSearchParams): StreamShape {
  const { protocol, showsGraph } = streamShape(query.get('stream_protocol') ?? undefined, null);
  return { protocol, showsGraph: booleanParameter(query, 'expose_graph_state', showsGraph) };
}

/** Returns the id of the last event that the caller received; null without a valid header. */
function lastEventId(header: string | string[] | undefined): number | null {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : null;
}
