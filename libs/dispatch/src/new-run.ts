import type { RunRequest } from '@millrace/flow';
import type { FlowReference, NewRun, RunOrigin } from '@millrace/runs';
import { activeTraceparent } from '@millrace/service';

export interface NewRunOrder extends Pick<
  NewRun,
  'id' | 'userId' | 'lane' | 'request' | 'limitMilliseconds' | 'maximumAttempts' | 'callback'
> {
  readonly flow: FlowReference;
  /** Runs of the flow with the same key are the same run; null for none. */
  readonly dedupeKey: string | null;
  /** The HTTP request that asks for the run. */
  readonly requestId: string | null;
}

/**
 * Returns the run to accept for a request. The flow's rules apply: its pool, its limits, its deadline, and for the
 * background its retries.
 */
export function newRun({ flow, dedupeKey, requestId, ...order }: NewRunOrder): NewRun {
  const { id, userId, lane, request, limitMilliseconds, maximumAttempts, callback } = order;
  return {
    id,
    flowId: flow.id,
    flowVersion: flow.version,
    userId,
    lane,
    pool: flow.pool,
    origin: originOf(request),
    request,
    sessionId: request.sessionId,
    dedupeKey,
    limitMilliseconds: withinFlowDeadline(flow, limitMilliseconds),
    maximumAttempts,
    retry: lane === 'background' ? (flow.settings.retry ?? null) : null,
    isLimited: flow.settings.concurrency !== undefined,
    traceparent: activeTraceparent(),
    requestId,
    ...(callback ? { callback } : {}),
  };
}

/** Returns the endpoint that starts runs with requests of this form. */
export function originOf({ form }: Pick<RunRequest, 'form'>): RunOrigin {
  return form === 'simple' ? 'run' : form;
}

/** Returns the shorter one of a deadline and that of the flow, in milliseconds. */
export function withinFlowDeadline(
  { settings }: Pick<FlowReference, 'settings'>,
  milliseconds: number,
): number {
  const { deadlineSeconds } = settings;
  return deadlineSeconds === undefined ? milliseconds : Math.min(milliseconds, deadlineSeconds * 1_000);
}
