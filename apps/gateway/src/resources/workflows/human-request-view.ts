import { shownRequest } from '@millrace/flow';
import type { HumanRequest, ShownRequest } from '@millrace/flow';
import type { RequestLinks, StoredRequest } from '@millrace/runs';
import { pythonIsoFormat } from '../../http/validation/date-time';

/** A request in Langflow's list of those that wait. */
export interface PendingRequest extends Pick<
  HumanRequest,
  'request_id' | 'kind' | 'prompt' | 'options' | 'allowed_decisions'
> {
  readonly job_id: string;
  readonly flow_id: string;
  /** Null when the caller named no session. */
  readonly session_id: string | null;
  readonly created_at: string;
}

/** A request that waits, of any flow. */
export interface OpenRequest extends ShownRequest {
  readonly run_id: string;
  readonly flow_id: string;
  readonly session_id: string;
  readonly paused_at: string;
  /** When its time is over; null: never. */
  readonly due_at: string | null;
  /** Whether the user who reads it can answer it. */
  readonly may_answer: boolean;
  /** Names of the users who answer it, if its flow names them. */
  readonly answered_by?: readonly string[];
  readonly links?: RequestLinks;
}

export function humanRequest(stored: StoredRequest): ShownRequest {
  return shownRequest(stored, pythonIsoFormat(stored.pausedAt));
}

export function pendingRequest(stored: StoredRequest): PendingRequest {
  const { runId, flowId, sessionId, acceptedAt, request_id, kind, prompt, options, allowed_decisions } =
    stored;
  return {
    job_id: runId,
    flow_id: flowId,
    session_id: sessionId === flowId ? null : sessionId,
    // Langflow names no zone here.
    created_at: pythonIsoFormat(acceptedAt).replace(/\+00:00$/, ''),
    request_id,
    kind,
    prompt,
    options,
    allowed_decisions,
  };
}

/** `links` are shown when they are given. */
export function openRequest(stored: StoredRequest, links?: RequestLinks): OpenRequest {
  const { runId, flowId, sessionId, pausedAt, dueAt, answeredBy, mayAnswer } = stored;
  return {
    ...shownRequest(stored, ''),
    run_id: runId,
    flow_id: flowId,
    session_id: sessionId,
    paused_at: pausedAt.toISOString(),
    due_at: dueAt?.toISOString() ?? null,
    may_answer: mayAnswer === true,
    ...(answeredBy && { answered_by: answeredBy }),
    ...(links && { links }),
  };
}
