import type { Lane } from '@millrace/contracts';

/** A durable run, as far as its message tells. */
export interface PublishedRun {
  readonly id: string;
  readonly lane: Lane;
  readonly pool: string;
  readonly flowId: string;
  readonly flowVersion: number;
  readonly userId: string;
}

/** A run that may need a message on the broker. */
export interface SweptRun extends PublishedRun {
  readonly traceparent: string | null;
  /** It was queued long ago: publish it only when its queue is empty, missing or cannot confirm. */
  readonly queueSuspect: boolean;
}
