import type { Lane } from '@millrace/contracts';

/** A run that may need a message on the broker. */
export interface SweptRun {
  readonly id: string;
  readonly lane: Lane;
  readonly pool: string;
  readonly flowId: string;
  readonly flowVersion: number;
  readonly userId: string;
  readonly traceparent: string | null;
  /** It was queued long ago: publish it only when its queue is empty, missing or cannot confirm. */
  readonly queueSuspect: boolean;
}
