/** @import { SupervisedService } from '../supervised-service.mjs' */
/** @import { StoredRun, StoredState } from './stored-runs.mjs' */

/** Name of a worker: host, pid and a random part. */
const PID_OF_WORKER = /-(\d+)-[0-9a-f]+$/;

/**
 * Returns the pids of the processes of these services that were killed.
 * @param {readonly Pick<SupervisedService, 'exits'>[]} services
 * @returns {ReadonlySet<number>}
 */
export function killedPids(services) {
  return new Set(
    services.flatMap(({ exits }) => exits.filter(({ signal }) => signal === 'SIGKILL').map(({ pid }) => pid)),
  );
}

/**
 * Returns whether a run is dead as promised: a fault killed the executor of each attempt that counts. The last one is in the
 * row of the run; an attempt that was not lost does not count.
 * @param {StoredRun} run
 * @param {{ readonly stored: Pick<StoredState, 'attempts'>, readonly killed: ReadonlySet<number> }} seen
 */
export function diedOfKills({ id, status, attempt, freeAttempts, maximumAttempts }, { stored, killed }) {
  if (status !== 'dead' || attempt - freeAttempts < maximumAttempts) return false;
  const lost = (stored.attempts.get(id) ?? []).filter(({ outcome }) => outcome === 'executor_lost');
  return (
    lost.length === maximumAttempts &&
    lost.every(({ worker }) => killed.has(Number(PID_OF_WORKER.exec(worker ?? '')?.[1])))
  );
}
