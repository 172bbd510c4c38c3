import type { AnnouncedPython } from '@millrace/dispatch';

/** The Python of an executor, without its components and modules. */
export type PythonSummary = Pick<AnnouncedPython, 'python' | 'lfx' | 'packageSet' | 'seal'>;

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
  /** Absent when nothing runs in Python. */
  readonly python?: PythonSummary;
}

export function workerKey(worker: string): string {
  return `worker:${worker}`;
}
