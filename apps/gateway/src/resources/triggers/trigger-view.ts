import { flowVersionId } from '@millrace/runs';
import type { QueueRejectionRecord, TriggerEventRecord, TriggerRecord } from '@millrace/runs';
import { pythonIsoFormat } from '../../http/validation/date-time';

/** Returns a trigger as clients read it. */
export function triggerView(trigger: TriggerRecord): Record<string, unknown> {
  const { flowId, flowVersion } = trigger;
  return {
    id: trigger.id,
    flow_id: flowId,
    user_id: trigger.userId,
    name: trigger.name,
    kind: trigger.kind,
    provider: null,
    node_id: trigger.nodeId,
    connection_id: null,
    config: trigger.config,
    state: trigger.state,
    binding_target: 'flow',
    deployment_id: null,
    flow_version_id: flowVersion === null ? null : flowVersionId(flowId, flowVersion),
    session_policy: trigger.sessionPolicy,
    concurrency_limit: trigger.concurrencyLimit,
    max_attempts: trigger.maximumAttempts,
    next_fire_at: timeOf(trigger.nextFireAt),
    last_fired_at: timeOf(trigger.lastFiredAt),
    last_error: trigger.lastError,
    ...(trigger.kind === 'rabbitmq' ? { source: sourceView(trigger) } : {}),
    created_at: pythonIsoFormat(trigger.createdAt),
    updated_at: pythonIsoFormat(trigger.updatedAt),
  };
}

/** Returns how a source goes. Without a status, no process has taken it yet. */
function sourceView({ state, source }: TriggerRecord): Record<string, unknown> {
  return {
    state: state === 'active' ? (source?.state ?? 'waiting') : 'stopped',
    since: source && timeOf(new Date(source.stateAt)),
    last_error: source?.error ?? null,
    last_error_at: timeOf(source?.errorAt ? new Date(source.errorAt) : null),
  };
}

/** Returns a rejected message as clients read it. */
export function rejectionView(rejection: QueueRejectionRecord): Record<string, unknown> {
  return {
    id: rejection.id,
    reason: rejection.reason,
    detail: rejection.detail,
    message_id: rejection.messageId,
    bytes: rejection.bytes,
    excerpt: rejection.excerpt,
    created_at: pythonIsoFormat(rejection.createdAt),
  };
}

const STATES = {
  accepted: 'pending',
  queued: 'claimed',
  running: 'dispatched',
  suspended: 'dispatched',
  succeeded: 'completed',
  failed: 'failed',
  timed_out: 'failed',
  cancelled: 'failed',
  dead: 'dead',
} as const;

const ERRORS: Readonly<Partial<Record<TriggerEventRecord['status'], string>>> = {
  failed: 'job_failed',
  timed_out: 'job_timed_out',
  cancelled: 'job_cancelled',
  dead: 'attempts_exhausted',
};

/** The key of a signed call, of which Langflow shows the first half. */
const SIGNED_KEY = /^(ingress:webhook:[0-9a-f]{32})[0-9a-f]{32}$/;

/** Returns an event as clients read it. Its job is known once it does not wait any more, as in Langflow. */
export function eventView(event: TriggerEventRecord): Record<string, unknown> {
  const isPending = event.status === 'accepted' && event.retries === 0;
  return {
    id: event.id,
    trigger_id: event.triggerId,
    dedupe_key: event.dedupeKey.replace(SIGNED_KEY, '$1'),
    state: STATES[event.status],
    attempt: event.retries,
    available_at: pythonIsoFormat(event.availableAt),
    payload: JSON.parse(event.payload) as unknown,
    session_id: isPending ? null : event.sessionId,
    job_id: isPending ? null : event.runId,
    replay_of_event_id: event.replayOf,
    error: ERRORS[event.status] ?? null,
    created_at: pythonIsoFormat(event.createdAt),
    updated_at: pythonIsoFormat(event.updatedAt),
  };
}

function timeOf(date: Date | null): string | null {
  return date && pythonIsoFormat(date);
}
