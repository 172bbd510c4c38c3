import { changedReplayBodySchema } from './changed-replay-body';
import type { ChangedReplayBody } from './changed-replay-body';
import type { RunInput, RunRequest } from '@millrace/flow';
import { sessionFor } from '../../end-users/end-user-sessions';
import type { KeyedCall } from '../../http/routing/route';
import { createValidator } from '../../http/validation/validator';
import { runInputOf } from './run-request';

const check = createValidator(changedReplayBodySchema);
const FIRST_INPUT: RunInput = { components: [], inputValue: '', type: 'chat' };

/** Reads what a replay changes; null when it changes nothing. Throws invalid_request. */
export function changesOf(body: unknown): ChangedReplayBody | null {
  if (body === undefined || body === null) return null;
  check(body);
  const isChange = Object.values(body).some((value) => value !== undefined && value !== null);
  return isChange ? (body as ChangedReplayBody) : null;
}

/** Returns the request of a run with changes; what they do not name stays, such as variables and outputs. */
export function changedRequest(
  { keepsStreamFields: _asSaved, ...request }: RunRequest,
  changes: ChangedReplayBody,
  { principal: { session }, endUser }: Pick<KeyedCall, 'principal' | 'endUser'>,
): RunRequest {
  const { tweaks, session_id: sessionId, files, webhook_payload: payload } = changes;
  return {
    ...request,
    inputs: changedInputs(request.inputs, changes),
    tweaks: tweaks ?? request.tweaks,
    sessionId: sessionId ? sessionFor(endUser, sessionId) : request.sessionId,
    ...(files ? { files } : {}),
    ...(payload === undefined || payload === null ? {} : { webhookPayload: payloadText(payload) }),
    ...(session === undefined ? {} : { keepsValues: true }),
    // The caller can follow the answer token by token, whatever the nodes say.
    ...(request.form === 'webhook' ? {} : { stream: true, vertexEvents: true }),
  };
}

function changedInputs(
  given: readonly RunInput[],
  { inputs, input_value: value }: ChangedReplayBody,
): readonly RunInput[] {
  const changed = inputs ? inputs.map(runInputOf) : given;
  if (value === undefined || value === null) return changed;
  const [first = FIRST_INPUT, ...others] = changed;
  return [{ ...first, inputValue: value }, ...others];
}

function payloadText(payload: unknown): string {
  return typeof payload === 'string' ? payload : JSON.stringify(payload);
}
