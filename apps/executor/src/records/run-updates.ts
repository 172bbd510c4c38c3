import type {
  FailedAttempt,
  NewRun,
  RedeliveredStart,
  RunAttempt,
  RunStore,
  SuspendedAttempt,
} from '@millrace/runs';
import type { Logger } from '@millrace/service';
import { OUTAGE_TIMEOUT_MILLISECONDS, retryDuringOutage } from './group-writes';

export interface RunUpdatesDependencies {
  readonly runs: RunStore;
  readonly worker: string;
  readonly logger: Logger;
  /** Fires when there is no time left to wait for the database. */
  readonly shutdownDeadline: AbortSignal;
}

/** Updates of single rows. Most of them wait for the end of a database outage. */
export class RunUpdates {
  readonly #dependencies: RunUpdatesDependencies;

  constructor(dependencies: RunUpdatesDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Releases a claimed run; the attempt does not count. The sweeper publishes the run if no queue contains its message
   * any more (`isMessageLost`).
   */
  release(attempt: RunAttempt, isMessageLost: boolean): Promise<void> {
    const { runs } = this.#dependencies;
    return this.#duringOutage('releasing a run', OUTAGE_TIMEOUT_MILLISECONDS, () =>
      runs.release([{ ...attempt, isMessageLost }]),
    );
  }

  /**
   * Schedules another attempt; the sweeper publishes the run after the pause. Resolves to false when another attempt
   * owns the run, or when it is to be cancelled.
   */
  retry(attempt: FailedAttempt): Promise<boolean> {
    const { runs } = this.#dependencies;
    return this.#duringOutage('scheduling a retry of a run', OUTAGE_TIMEOUT_MILLISECONDS, () =>
      runs.retry(attempt),
    );
  }

  /** Suspends a run. Resolves to false when another attempt owns it, or when it is to be cancelled. */
  suspend(attempt: SuspendedAttempt): Promise<boolean> {
    const { runs } = this.#dependencies;
    return this.#duringOutage('suspending a run', OUTAGE_TIMEOUT_MILLISECONDS, () => runs.suspend(attempt));
  }

  /** Deletes what an ended run kept while it waited. Tries once; never rejects: the rest is deleted with the run. */
  async forgetSuspensions(runId: string): Promise<void> {
    const { runs, logger } = this.#dependencies;
    await runs.forgetSuspensions(runId).catch((error: unknown) => {
      logger.warn({ error, runId }, 'could not delete what an ended run kept while it waited');
    });
  }

  /** Stores an interactive run, or its next attempt, before it is restarted. */
  restart(run: NewRun, timeoutMilliseconds: number): Promise<RedeliveredStart> {
    const { runs, worker } = this.#dependencies;
    return this.#duringOutage('restarting a run', timeoutMilliseconds, () =>
      runs.beginRedelivered({ ...run, worker }),
    );
  }

  /**
   * Sends a heartbeat for a run that was taken over. It shows that this worker is alive, so that the lost attempt does
   * not count. Tries once; never rejects.
   */
  async confirmAlive({ runId, attempt }: RunAttempt): Promise<void> {
    const { runs, worker, logger } = this.#dependencies;
    const failure = await runs.heartbeat(worker, [{ runId, attempt }]).then(
      ({ uncountFailure }) => uncountFailure,
      (error: unknown) => error,
    );
    if (failure === undefined) return;
    logger.warn(
      { error: failure, runId },
      'could not confirm that this worker is alive; the attempt that was taken over will count',
    );
  }

  #duringOutage<T>(activity: string, timeoutMilliseconds: number, commit: () => Promise<T>): Promise<T> {
    const { logger, shutdownDeadline } = this.#dependencies;
    return retryDuringOutage({ timeoutMilliseconds, logger, activity, shutdownDeadline }, commit);
  }
}
