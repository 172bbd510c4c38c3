import type { KeyValueStore } from '@millrace/key-value';
import type { AnnouncedPython } from './python-announcement';

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
  /** Versions of jobs that it reads; absent in releases that read version 1 alone. */
  readonly jobVersions?: readonly number[];
  /** How many jobs it takes at once, also several in one message; absent in releases that read one job a message. */
  readonly takesJobs?: number;
  /** True while it is not connected to the broker. */
  readonly isAway: boolean;
  /** Absent when nothing runs in Python. */
  readonly python?: PythonSummary;
}

const PREFIX = 'worker:';
const MAXIMUM_WORKERS = 10_000;

export function workerKey(worker: string): string {
  return `${PREFIX}${worker}`;
}

/** Resolves to the executors that announce themselves. Rejects when the key-value store is unavailable. */
export async function announcedWorkers(
  keyValue: Pick<KeyValueStore, 'keys' | 'getMany'>,
): Promise<WorkerState[]> {
  const keys = await keyValue.keys(PREFIX, MAXIMUM_WORKERS);
  const texts = keys.length === 0 ? [] : await keyValue.getMany(keys);
  return texts.flatMap((text) => (text === null ? [] : [JSON.parse(text) as WorkerState]));
}
