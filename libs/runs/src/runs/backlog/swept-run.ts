import type { Lane } from '@millrace/contracts';

/** The fields of a durable run that its message contains. */
export interface PublishedRun {
  readonly id: string;
  readonly lane: Lane;
  readonly pool: string;
  readonly flowId: string;
  readonly flowVersion: number;
  readonly userId: string;
  /** W3C trace context of the request that started the run; null without one. */
  readonly traceparent: string | null;
}

/** A run that may need a message on the broker. */
export interface SweptRun extends PublishedRun {
  /** It was queued long ago: publish it only when its queue is empty or missing, or cannot confirm. */
  readonly queueSuspect: boolean;
}
