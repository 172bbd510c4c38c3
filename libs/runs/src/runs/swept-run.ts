import type { Lane } from '@millrace/messages';

/** What the publication of a durable run needs to know of it. */
export interface PublishedRun {
  readonly id: string;
  /** The attempts of the run so far. The confirmation of its message is void once it has had a further one. */
  readonly attempt: number;
  readonly lane: Lane;
  readonly pool: string;
  readonly flowId: string;
  readonly flowVersion: number;
  readonly userId: string;
  /** W3C trace context of the request that started the run; null without one. */
  readonly traceparent: string | null;
}

/** A message that the broker has confirmed. */
export interface ConfirmedMessage {
  readonly runId: string;
  /** The attempts of the run before the message was published. */
  readonly attempt: number;
}

/** A run that may need a message on the broker. */
export interface SweptRun extends PublishedRun {
  /** It was queued long ago: publish it only when its queue is empty or missing, or cannot confirm. */
  readonly queueSuspect: boolean;
}
