import type { AnnouncedPython } from '@millrace/dispatch';

/** The announcement of an executor in the key-value store; it expires unless it is renewed. */
export interface WorkerState {
  readonly worker: string;
  readonly pool: string;
  readonly concurrency: number;
  readonly version: string;
  /** Number of in-flight attempts. */
  readonly inHand: number;
  /** ISO 8601. */
  readonly seenAt: string;
  /** True when it answers `are-you-there`. */
  readonly answers: boolean;
  /** True while it is not connected to the broker. */
  readonly isAway: boolean;
  /** Absent without Python. */
  readonly python?: Pick<AnnouncedPython, 'python' | 'lfx' | 'packageSet' | 'seal'>;
}

export function workerKey(worker: string): string {
  return `worker:${worker}`;
}
