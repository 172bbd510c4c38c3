/** What a source does. A process reports it; `waiting`: no process has a lease. */
export type QueueSourceState = 'waiting' | 'connecting' | 'consuming' | 'backlog_full' | 'failing';

/** How the source of a trigger goes. */
export interface QueueSourceStatus {
  readonly state: QueueSourceState;
  /** Since when; text of a timestamp, like `errorAt`. */
  readonly stateAt: string;
  /** The last failure, also after the source works again; null without one. */
  readonly error: string | null;
  readonly errorAt: string | null;
}

export const rejectionReasons = ['too_large', 'undecodable', 'refused'] as const;
export type RejectionReason = (typeof rejectionReasons)[number];

/** A message that is rejected: no run is stored for it. */
export interface QueueRejection {
  readonly reason: RejectionReason;
  /** A sentence for the owner of the trigger. */
  readonly detail: string;
  readonly messageId: string | null;
  /** The size of the body. */
  readonly bytes: number;
  /** The beginning of the body as text; null for a body that was too large. */
  readonly excerpt: string | null;
}

export interface QueueRejectionRecord extends QueueRejection {
  readonly id: string;
  readonly createdAt: Date;
}

/**
 * The status of a trigger's source as JSON, in SQL; null for a trigger of another kind and before a process has taken
 * the source for the first time.
 */
export const SOURCE_STATUS = `CASE WHEN triggers.kind = 'rabbitmq' THEN (
  SELECT json_build_object(
    'state', CASE WHEN queue_sources.lease_until <= now() THEN 'waiting' ELSE queue_sources.state END,
    'stateAt', queue_sources.state_at, 'error', queue_sources.error, 'errorAt', queue_sources.error_at)
  FROM queue_sources WHERE queue_sources.trigger_id = triggers.id) END`;
