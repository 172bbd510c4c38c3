import type { HumanRequest } from '@millrace/flow';
import type { StoredRequest } from '@millrace/runs';
import { pythonIsoFormat } from '../../http/validation/date-time';

/** A request for human input, as `human_request` of an answer. */
export interface HumanRequestView extends HumanRequest {
  readonly paused_at: string;
}

/** A request in the list of those that wait. */
export interface PendingRequest extends Pick<
  HumanRequest,
  'request_id' | 'kind' | 'prompt' | 'options' | 'allowed_decisions'
> {
  readonly job_id: string;
  readonly flow_id: string;
  readonly session_id: string;
  readonly created_at: string;
}

export function humanRequest(stored: StoredRequest): HumanRequestView {
  const { request_id, kind, prompt, options, allowed_decisions, timeout_seconds, fallback_action } = stored;
  const paused_at = pythonIsoFormat(stored.pausedAt);
  return {
    request_id,
    kind,
    prompt,
    options,
    allowed_decisions,
    timeout_seconds,
    fallback_action,
    paused_at,
  };
}

export function pendingRequest(stored: StoredRequest): PendingRequest {
  const { runId, flowId, sessionId, acceptedAt, request_id, kind, prompt, options, allowed_decisions } =
    stored;
  return {
    job_id: runId,
    flow_id: flowId,
    session_id: sessionId,
    // Langflow names no zone here.
    created_at: pythonIsoFormat(acceptedAt).replace(/\+00:00$/, ''),
    request_id,
    kind,
    prompt,
    options,
    allowed_decisions,
  };
}
