import { setTimeout as sleep } from 'node:timers/promises';
import type { Verdict } from '@millrace/messaging';
import { isRowError } from '@millrace/runs';
import type { ClaimedRun, GroupCommit, RunCompletion, RunStore } from '@millrace/runs';
import { machineTime, backoff } from '@millrace/service';
import type { Logger } from '@millrace/service';
import type { AttemptOutcome } from '../attempts/attempt-outcome';
import { wholeRunFailure } from '../attempts/run-failure';
import type { MessageVisibility } from '../records/message-visibility';
import { retryDuringOutage } from '../records/retry-during-outage';
import { reportEnd } from '../replies/run-report';
import type { AttemptEnd } from './decide-end';
import type { EndedRuns } from './ended-runs';
import type { EndedAttempt } from './job-policy';

const OUTAGE_TIMEOUT_MILLISECONDS = 60_000;
const OUTAGE_PAUSE = { initialMilliseconds: 500, maximumMilliseconds: 30_000 };

export interface DurableEndsDependencies {
  readonly runs: RunStore;
  readonly worker: string;
  readonly completions: GroupCommit<RunCompletion, boolean>;
  readonly visibility: MessageVisibility;
  readonly ended: EndedRuns;
  readonly logger: Logger;
  /** Fires when the executor stops taking jobs. */
  readonly draining: AbortSignal;
  /** Fires when the time for a graceful stop is over. */
  readonly shutdownDeadline: AbortSignal;
}

type Ended = EndedAttempt<ClaimedRun>;

/** Ends the attempts of claimed runs. Every write names the attempt, so an attempt that was taken over writes nothing. */
export class DurableEnds {
  readonly #dependencies: DurableEndsDependencies;

  constructor(dependencies: DurableEndsDependencies) {
    this.#dependencies = dependencies;
  }

  async end(ended: Ended, end: AttemptEnd): Promise<Verdict> {
    // Storing and delivering the outcome needs no slot; release it for the next run.
    ended.slot?.release();
    switch (end.kind) {
      case 'discard':
        this.#dependencies.logger.info(fieldsOf(ended), 'another attempt owns this run: stopped');
        return 'done';
      case 'release':
        await this.#release(ended);
        if (end.cause === 'outage') await this.#pauseAfterOutage(ended);
        return 'retry';
      case 'retry':
        return (await this.#retry(ended, end.pauseMilliseconds)) ? 'done' : this.#complete(ended);
      case 'complete':
        return this.#complete(ended);
    }
  }

  /** Releases the run; the sweeper publishes it if its message is already settled. The attempt does not count. */
  async #release(ended: Ended): Promise<void> {
    const isMessageLost = ended.settlement.isSettled;
    await this.#duringOutage('releasing a run', () =>
      this.#dependencies.runs.release([{ ...fieldsOf(ended), isMessageLost }]),
    );
  }

  /** Immediate retries would meet the same outage and use up all attempts in seconds. */
  async #pauseAfterOutage({ granted: { attempt } }: Ended): Promise<void> {
    const pause = backoff({ ...OUTAGE_PAUSE, attempt: attempt - 1 });
    await sleep(pause, undefined, { signal: this.#dependencies.draining }).catch(() => undefined);
  }

  /**
   * Schedules another attempt; the sweeper publishes the run after the pause. Resolves to false when another attempt
   * owns the run, or when it is to be cancelled.
   */
  async #retry(ended: Ended, pauseMilliseconds: number): Promise<boolean> {
    const { granted, outcome } = ended;
    const { failure } = outcome;
    const attempt = fieldsOf(ended);
    const isGranted = await this.#duringOutage('scheduling a retry of a run', () =>
      this.#dependencies.runs.retry({ ...attempt, failure, pauseMilliseconds }),
    );
    if (isGranted)
      this.#dependencies.ended.log({
        ...granted,
        ...outcome,
        runId: attempt.runId,
        retryInMilliseconds: pauseMilliseconds,
      });
    return isGranted;
  }

  /** Stores the end of the run, then reports it to its caller and its watchers. */
  async #complete(attempt: Ended): Promise<Verdict> {
    const { ended, visibility, logger } = this.#dependencies;
    const { delivered, granted, report, replies, milliseconds } = attempt;
    const fields = fieldsOf(attempt);
    const end = await this.#store(attempt);
    if (!end) {
      logger.info(fields, 'another attempt owns this run: result discarded');
      await this.#confirmAlive(attempt);
      return 'done';
    }
    ended.count(delivered.job, end.status, milliseconds);
    ended.log({ ...granted, ...end, runId: fields.runId });
    const { userId, flowId } = granted;
    await visibility.show({ userId, flowId, deadline: machineTime() }, end.messages, Promise.resolve());
    if (report) reportEnd(report, end);
    await replies?.end(end.status, end.body, end.cache);
    return 'done';
  }

  /** Resolves to what was stored, or to null when another attempt owns the run. */
  async #store(ended: Ended): Promise<AttemptOutcome | null> {
    const { completions } = this.#dependencies;
    const { outcome } = ended;
    const { status, body, failure, messages } = outcome;
    const { runId, attempt } = fieldsOf(ended);
    const result = status === 'succeeded' ? body : null;
    try {
      const isStored = await completions.add({ runId, attempt, status, result, failure, messages });
      return isStored ? outcome : null;
    } catch (error) {
      // The database would refuse the same row on every retry, so the run would never end.
      if (!isRowError(error)) throw error;
      const refused = wholeRunFailure('internal', 'The result of the run could not be stored.');
      const end = { status: 'failed' as const, failure: refused, messages: [] };
      const isStored = await completions.add({ runId, attempt, ...end, result: null });
      return isStored ? { ...end, body: JSON.stringify(refused), byOutage: false, error } : null;
    }
  }

  /**
   * Sends a heartbeat for a run that was taken over. It shows that this worker is alive, so that the lost attempt does
   * not count.
   */
  async #confirmAlive(ended: Ended): Promise<void> {
    const { runs, worker, logger } = this.#dependencies;
    const attempt = fieldsOf(ended);
    await runs
      .heartbeat(worker, [attempt])
      .catch((error: unknown) =>
        logger.warn(
          { error, runId: attempt.runId },
          'could not confirm that this worker is alive; the attempt that was taken over will count',
        ),
      );
  }

  #duringOutage<T>(activity: string, commit: () => Promise<T>): Promise<T> {
    const { logger, shutdownDeadline } = this.#dependencies;
    return retryDuringOutage(
      { timeoutMilliseconds: OUTAGE_TIMEOUT_MILLISECONDS, logger, activity, shutdownDeadline },
      commit,
    );
  }
}

function fieldsOf({ delivered, granted }: Ended): { readonly runId: string; readonly attempt: number } {
  return { runId: delivered.job.runId, attempt: granted.attempt };
}
