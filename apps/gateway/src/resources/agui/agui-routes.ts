import { factsOf } from '@millrace/http';
import { actorOf } from '../../authentication/actor-of';
import type { KeyedStreams } from '../../authentication/keyed-streams';
import { forReading } from '../../http/routing/access';
import { jsonBody } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import { askedBy, pathParameter } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { requireBody } from '../../http/validation/require-body';
import { followRun } from '../../run-events/follow-run';
import type { FollowRunOptions } from '../../run-events/follow-run';
import { AguiEvents } from '../../run-events/forms/agui-events';
import type { UserConcurrencyLimit } from '../../runs/pending-runs';
import { deadlineHeader, RUN_ERRORS } from '../runs/run-operations';
import { runAgentBodySchema } from './agui-bodies';
import { aguiInput } from './agui-input';
import { AguiRuns } from './agui-runs';
import type { AguiRunsOptions } from './agui-runs';
import { whenClosed } from '../../http/when-closed';

const operation = {
  summary: 'Run a flow as an agent of AG-UI 1.0, or answer the interrupts with which such a run ended',
  headers: deadlineHeader,
  body: jsonBody(runAgentBodySchema),
  answers: {
    200: {
      description: 'The events of the run as server-sent events',
      content: { 'text/event-stream': { type: 'string' } },
    },
  },
  errors: [...RUN_ERRORS, 'decision_refused', 'not_resumable'],
} as const satisfies Operation;

export interface AguiRoutesOptions extends AguiRunsOptions {
  readonly following: FollowRunOptions;
  readonly streams: KeyedStreams;
  readonly concurrencyLimit: UserConcurrencyLimit;
}

/** The route by which clients of AG-UI run a flow. */
export function aguiRoutes(options: AguiRoutesOptions): readonly Route[] {
  const { following, streams, concurrencyLimit } = options;
  const runs = new AguiRuns(options);
  const handle = async (call: KeyedCall) => {
    const { request, response, body, principal } = call;
    const { userId } = principal;
    requireBody(body);
    const input = aguiInput(body);
    concurrencyLimit.enter(userId);
    whenClosed(response, () => concurrencyLimit.leave(userId));
    const { headers } = request;
    const caller = { userId, asked: askedBy(response), actor: actorOf(call), headers, endUser: call.endUser };
    const { runId, flowId, own } = await runs.begin(caller, pathParameter(request, 'flow_id'), input);
    factsOf(request).flowId = flowId;
    streams.trackFlow(principal, flowId, response);
    const { threadId } = input;
    return followRun(following, response, {
      userId,
      runId,
      after: null,
      form: new AguiEvents({ runId: input.runId, threadId, showsGraph: false, after: null, own }),
      headers: { 'x-run-id': runId },
      closingEvents: (record) => runs.closingEventsOf(record),
    });
  };
  const path = '/api/v1/agui/:flow_id';
  return [{ method: 'POST', path, access: forReading, body: 'json', operation, handle }];
}
