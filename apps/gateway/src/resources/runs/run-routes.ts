import type { Callback, RunRequest } from '@millrace/flow';
import { findInputTweakConflict } from '@millrace/flow';
import { factsOf, HttpError } from '@millrace/http';
import type { FlowReference, VariableStore } from '@millrace/runs';
import type { LangflowRelease } from '@millrace/service';
import { idempotencyScope } from '../../end-users/end-user-sessions';
import type { KeyedStreams } from '../../authentication/keyed-streams';
import { refuseForeignNames, refuseForeignSecrets } from '../../authentication/refuse-foreign-names';
import { booleanParameter } from '../../http/validation/query';
import { forRuns } from '../../http/routing/access';
import { pathParameter, askedBy } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { runBodyValue } from '../../http/bodies/parse-body';
import {
  dedupeKeyOf,
  headerVariables,
  readPreferences,
  requestedCachePolicy,
  requestedCallback,
  requestedDeadlineSeconds,
} from '../../http/run-headers';
import { parseUuidStrictly } from '../../http/validation/uuid-text';
import { refuseUnknownVariables } from '../variables/refuse-unknown-variables';
import { formByInputs, formOfKnownMembers, runRequest } from './run-request';
import type { RunForm } from './run-request';
import { flowWithoutData } from '../../run-answers/flow-without-data';
import type { RunAnswer } from '../../run-answers/run-answer';
import type { DurableRuns } from '../../runs/durable-runs';
import { sendAcceptedRun } from '../../run-answers/send-accepted-run';
import { tweaksRefused, tweaksRefusedText } from './tweaks-refused';
import { runOperations } from './run-operations';
import type { FlowTraitsCache } from '../../flow-traits/flow-traits';

export interface RunRoutesOptions {
  readonly streams: KeyedStreams;
  readonly answer: RunAnswer;
  readonly durable: DurableRuns;
  readonly traits: Pick<FlowTraitsCache, 'refusedTweaks'>;
  readonly variables: Pick<VariableStore, 'find'>;
  /** True when Langflow's harmless bugs are reproduced. */
  readonly isStrict: boolean;
  readonly release: LangflowRelease;
}

/** The three routes that run a flow. */
export function runRoutes(options: RunRoutesOptions): readonly Route[] {
  const formOfSimple: FormOf = options.isStrict ? () => 'simple' : formByInputs;
  const simple = (call: KeyedCall) => run(options, call, pathParameter(call.request, 'flow'), formOfSimple);
  const advanced = (call: KeyedCall) =>
    run(options, call, pathParameter(call.request, 'flow'), () => 'advanced');
  const strict = (call: KeyedCall) => {
    const flowId = parseUuidStrictly(pathParameter(call.request, 'flow_id'), ['path', 'flow_id']);
    return run(options, call, flowId, formOfKnownMembers);
  };
  return [
    {
      method: 'POST',
      path: '/api/v1/run/:flow',
      isDirect: true,
      access: forRuns,
      body: 'run',
      operation: runOperations.simple,
      handle: simple,
    },
    {
      method: 'POST',
      path: '/api/v1/run/advanced/:flow',
      isDirect: true,
      access: forRuns,
      body: 'run',
      operation: runOperations.advanced,
      handle: advanced,
    },
    {
      method: 'POST',
      path: '/run/:flow_id',
      isDirect: true,
      access: forRuns,
      body: 'run',
      operation: runOperations.strict,
      handle: strict,
    },
  ];
}

type FormOf = (body: unknown) => RunForm;

async function run(
  options: RunRoutesOptions,
  call: KeyedCall,
  reference: string,
  formOf: FormOf,
): Promise<void> {
  const { answer, durable } = options;
  const { request, response, principal } = call;
  const { flow } = call;
  if (flow === null) throw new HttpError('flow_unknown', `Flow identifier ${reference} not found`);
  factsOf(request).flowId = flow.id;
  const wanted = requestOf(options, call, flow, formOf);
  const { form } = wanted;
  if (flow.isEmpty) throw flowWithoutData(flow.id, form);
  refuseForeignNames(principal, flow.id, wanted);
  const conflict = form === 'simple' ? findInputTweakConflict(wanted) : null;
  if (conflict !== null) {
    const error = new HttpError('tweak_conflict', conflict);
    if (wanted.stream) return answer.refuseInStream(request, response, error, conflict);
    throw error;
  }
  const found = options.traits.refusedTweaks(flow, wanted.tweaks);
  const refused = found instanceof Promise ? await found : found;
  if (refused.length > 0) {
    const error = tweaksRefused(refused);
    if (form === 'advanced' || !wanted.stream) throw error;
    return answer.refuseInStream(request, response, error, tweaksRefusedText(refused));
  }
  const requestedPolicy = requestedCachePolicy(flow.settings.cache, request.headers['cache-control']);
  // Streams bypass the cache, since cached results have no token events.
  const cache = requestedPolicy !== null && wanted.stream ? 'bypass' : requestedPolicy;
  const callback = requestedCallback(request.headers);
  if (callback !== null) {
    refuseForeignSecrets(principal, flow.settings, callback);
    await refuseUnknownSecrets(options.variables, principal.userId, callback);
  }
  const order = {
    userId: principal.userId,
    flow,
    request: wanted,
    ...askedBy(response),
    endUser: call.endUser,
    cache,
    deadlineSeconds: requestedDeadlineSeconds(request.headers),
    callback,
    onSent: () => call.releaseBody(),
  };
  const { respondAsync, waitSeconds } = readPreferences(request.headers['prefer']);
  if (respondAsync && waitSeconds > 0 && !wanted.stream) {
    return answer.wholeOrAccepted(request, response, order, waitSeconds);
  }
  if (respondAsync) {
    const key = dedupeKeyOf(request.headers, idempotencyScope(order));
    const runId = await durable.startDetached({ ...order, cache: null, onEvents: null }, 'background', key);
    return sendAcceptedRun(response, runId, 'respond-async');
  }
  if (wanted.stream) options.streams.trackRun(principal, flow.id, response);
  return wanted.stream ? answer.streamed(request, response, order) : answer.whole(request, response, order);
}

function refuseUnknownSecrets(
  variables: RunRoutesOptions['variables'],
  userId: string,
  { secrets = [] }: Callback,
): Promise<void> {
  const references = secrets.map((name) => ({ path: [], name, holds: 'text' as const }));
  return refuseUnknownVariables(variables, userId, references, ['header', 'x-callback-secret']);
}

function requestOf(
  { isStrict, release }: RunRoutesOptions,
  { request, query, runBody, endUser }: KeyedCall,
  flow: FlowReference,
  formOf: FormOf,
): RunRequest {
  const sent = runBody === null ? undefined : runBodyValue(runBody);
  const value = sent === null && release === '1.11' ? undefined : sent;
  return runRequest(formOf(value), value, {
    flowId: flow.id,
    sessions: flow.settings.sessions,
    endUser,
    globalVariables: headerVariables(request.headers),
    stream: () => booleanParameter(query, 'stream', false),
    isStrict,
  });
}
