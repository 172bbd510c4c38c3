import type { RunStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import type { RunningAttempts } from '../attempts/running-attempts';

const INTERVAL_MILLISECONDS = 5_000;

export interface WorkerHeartbeatDependencies {
  readonly runs: RunStore;
  readonly running: RunningAttempts;
  readonly worker: string;
  readonly logger: Logger;
  /** Called on every heartbeat, to announce this worker. */
  announce(): Promise<void>;
}

/**
 * Renews the leases of all in-flight durable runs with one statement every five seconds. Aborts a run that another
 * attempt owns, and a run that its user has cancelled.
 */
export class WorkerHeartbeat {
  readonly #dependencies: WorkerHeartbeatDependencies;
  #timer: NodeJS.Timeout | undefined;
  #pendingHeartbeat: Promise<void> | null = null;

  constructor(dependencies: WorkerHeartbeatDependencies) {
    this.#dependencies = dependencies;
  }

  start(): void {
    void this.#dependencies.announce();
    this.#timer = setInterval(() => {
      // Do not send another heartbeat before a slow database has answered the last one.
      this.#pendingHeartbeat ??= this.#sendHeartbeat().finally(() => {
        this.#pendingHeartbeat = null;
      });
    }, INTERVAL_MILLISECONDS);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#pendingHeartbeat;
  }

  async #sendHeartbeat(): Promise<void> {
    const { runs, running, worker, logger, announce } = this.#dependencies;
    const attempts = running.durable();
    try {
      await announce();
      if (attempts.length === 0) return;
      const { held, cancelRequested, uncountFailure: error } = await runs.heartbeat(worker, attempts);
      for (const { runId } of attempts) {
        if (!held.has(runId)) running.abort(runId, 'fenced');
        else if (cancelRequested.has(runId)) running.abort(runId, 'cancelled');
      }
      if (error !== undefined) logger.warn({ error }, 'the lost attempts of a living worker will count');
    } catch (error) {
      logger.warn({ error, runs: attempts.length }, 'could not renew leases');
    }
  }
}
