import { JOB_VERSION } from '@millrace/messages';
import { KeyValueUnavailableError } from '@millrace/key-value';
import type { KeyValueStore } from '@millrace/key-value';
import type { Health } from '@millrace/service';
import { announcedWorkers } from './worker-state';

const TIMEOUT_MILLISECONDS = 2_000;
/** Executors of releases that do not announce versions. */
const VERSIONS_OF_OLD: readonly number[] = [1];

export interface ExecutorReadinessOptions {
  readonly health: Pick<Health, 'add'>;
  readonly keyValue: Pick<KeyValueStore, 'keys' | 'getMany'>;
  /** True when an executor must be there; false when only one that cannot read the jobs of this process is a fault. */
  readonly awaitsExecutors: boolean;
  /** The version of the jobs that this process publishes. */
  readonly jobVersion?: number;
}

/**
 * Adds executors to the readiness of a process that publishes jobs. Until they have been ready once, the process is ready
 * only if executors announce themselves and all of them read its jobs: an upgrade begins with executors. Later the check is
 * shown but does not count. When the key-value store is unavailable, nothing is known of executors, and the check does not
 * count.
 */
export function addExecutorReadiness({
  health,
  keyValue,
  awaitsExecutors,
  jobVersion = JOB_VERSION,
}: ExecutorReadinessOptions): void {
  let wasReady = false;
  let isKnown = true;
  const check = async () => {
    const workers = await announcedWorkers(keyValue).catch((error: unknown) => {
      isKnown = !(error instanceof KeyValueUnavailableError);
      throw error;
    });
    isKnown = true;
    const others = workers.filter(({ jobVersions = VERSIONS_OF_OLD }) => !jobVersions.includes(jobVersion));
    if (others.length > 0)
      throw new Error(
        `${others.length} of ${workers.length} executors do not read jobs of version ${jobVersion}, such as ${others[0]?.worker} of release ${others[0]?.version}; deploy executors first`,
      );
    if (workers.length === 0 && awaitsExecutors) throw new Error('no executor announces itself');
    wasReady = true;
    return { executors: workers.length };
  };
  health.add('executors', check, {
    timeoutMilliseconds: TIMEOUT_MILLISECONDS,
    isNeeded: () => !wasReady && isKnown,
  });
}
