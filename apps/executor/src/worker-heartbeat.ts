import type { RunStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import type { RunningAttempts } from './running-attempts';

const INTERVAL_MILLISECONDS = 5_000;

export interface WorkerHeartbeatDependencies {
  readonly runs: RunStore;
  readonly running: RunningAttempts;
  readonly worker: string;
  readonly logger: Logger;
  /** Called each time, for what else shows that this worker lives. */
  announce(): Promise<void>;
}

/**
 * Every five seconds: one statement renews the leases of all durable runs in hand. A run that is no longer ours is
 * aborted at once, one whose owner asked to cancel it as well.
 */
export class WorkerHeartbeat {
  readonly #dependencies: WorkerHeartbeatDependencies;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> | null = null;

  constructor(dependencies: WorkerHeartbeatDependencies) {
    this.#dependencies = dependencies;
  }

  start(): void {
    void this.#dependencies.announce();
    this.#timer = setInterval(() => {
      // A database that answers slowly is not asked again before it has answered.
      this.#beating ??= this.#beat().finally(() => {
        this.#beating = null;
      });
    }, INTERVAL_MILLISECONDS);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beating;
  }

  async #beat(): Promise<void> {
    const { runs, running, worker, logger, announce } = this.#dependencies;
    const attempts = running.durable();
    try {
      await announce();
      if (attempts.length === 0) return;
      const { held, cancelRequested } = await runs.heartbeat(worker, attempts);
      for (const { runId } of attempts) {
        if (!held.has(runId)) running.abort(runId, 'fenced');
        else if (cancelRequested.has(runId)) running.abort(runId, 'cancelled');
      }
    } catch (error) {
      logger.warn({ error, runs: attempts.length }, 'leases could not be renewed');
    }
  }
}
