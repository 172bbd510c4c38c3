/** What an executor says of itself in the key-value store, for as long as it renews it. */
export interface WorkerState {
  readonly worker: string;
  readonly pool: string;
  readonly concurrency: number;
  readonly version: string;
  readonly inHand: number;
  /** ISO 8601. */
  readonly seenAt: string;
  /** True when it answers `are-you-there`. */
  readonly answers: boolean;
  /** True while it has lost its connection to the broker. */
  readonly isAway: boolean;
}

export function workerKey(worker: string): string {
  return `worker:${worker}`;
}
