import { setTimeout as sleep } from 'node:timers/promises';
import type { Verdict } from '@millrace/messaging';
import { isRowError } from '@millrace/runs';
import type { ClaimedRun, RunAttempt } from '@millrace/runs';
import { backoff, machineTime } from '@millrace/service';
import type { Logger } from '@millrace/service';
import type { AttemptOutcome } from '../attempts/attempt-outcome';
import { wholeRunFailure } from '../attempts/run-failure';
import type { GroupCompletions } from '../records/group-completions';
import type { MessageVisibility } from '../records/message-visibility';
import type { RunUpdates } from '../records/run-updates';
import { reportEnd } from '../replies/run-report';
import { storedRecord } from '../attempts/vertex-records/stored-record';
import type { AttemptEnd } from './decide-end';
import type { EndedRuns } from './ended-runs';
import { timingOf } from './timing-of';
import type { EndedAttempt } from './job-policy';

const OUTAGE_PAUSE = { initialMilliseconds: 500, maximumMilliseconds: 30_000 };

export interface DurableEndsDependencies {
  readonly updates: RunUpdates;
  readonly completions: GroupCompletions;
  readonly visibility: MessageVisibility;
  readonly ended: EndedRuns;
  readonly logger: Logger;
  /** Fires when the executor stops taking jobs. */
  readonly draining: AbortSignal;
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
    const { updates, logger } = this.#dependencies;
    switch (end.kind) {
      case 'discard':
        logger.info(identityOf(ended), 'another attempt owns this run: stopped');
        return 'done';
      case 'release':
        await updates.release(identityOf(ended), ended.settlement.isSettled);
        this.#dependencies.ended.logGivenBack(
          { ...ended.granted, ...identityOf(ended) },
          ended.outcome,
          end.cause,
        );
        if (end.cause === 'outage') await this.#pauseAfterOutage(ended);
        return 'retry';
      case 'retry':
        return (await this.#retry(ended, end.pauseMilliseconds)) ? 'done' : this.#complete(ended);
      case 'complete':
        return this.#complete(ended);
    }
  }

  /** Immediate retries would meet the same outage and use up all attempts in seconds. */
  async #pauseAfterOutage({ granted: { attempt } }: Ended): Promise<void> {
    const pause = backoff({ ...OUTAGE_PAUSE, attempt: attempt - 1 });
    await sleep(pause, undefined, { signal: this.#dependencies.draining }).catch(() => undefined);
  }

  /** Resolves to false when another attempt owns the run, or when it is to be cancelled. */
  async #retry(attempt: Ended, retryInMilliseconds: number): Promise<boolean> {
    const { updates, ended } = this.#dependencies;
    const { granted, outcome } = attempt;
    const identity = identityOf(attempt);
    const isGranted = await updates.retry({
      ...identity,
      ...storedRecord(outcome.record, granted.usage),
      failure: outcome.failure,
      pauseMilliseconds: retryInMilliseconds,
    });
    if (isGranted) ended.log({ ...granted, ...outcome, runId: identity.runId, retryInMilliseconds });
    return isGranted;
  }

  /** Stores the end of the run, then reports it to its caller and its watchers. */
  async #complete(attempt: Ended): Promise<Verdict> {
    const { updates, ended, visibility, logger } = this.#dependencies;
    const { delivered, granted, report, replies, milliseconds } = attempt;
    const identity = identityOf(attempt);
    const end = await this.#store(attempt);
    if (!end) {
      logger.info(identity, 'another attempt owns this run: result discarded');
      await updates.confirmAlive(identity);
      return 'done';
    }
    ended.count(delivered.job, end.status, milliseconds);
    ended.log({ ...granted, ...end, runId: identity.runId });
    const { userId, flowId } = granted;
    await visibility.show({ userId, flowId, deadline: machineTime() }, end.messages, Promise.resolve());
    if (report) reportEnd(report, end);
    await replies?.end(end.status, end.body, { cache: end.cache, timing: timingOf(attempt) });
    return 'done';
  }

  /** Resolves to what was stored, or to null when another attempt owns the run. */
  async #store(ended: Ended): Promise<AttemptOutcome | null> {
    const { completions } = this.#dependencies;
    const { outcome } = ended;
    const { status, body, failure, messages } = outcome;
    const { runId, attempt } = identityOf(ended);
    const result = status === 'succeeded' ? body : null;
    try {
      const record = storedRecord(outcome.record, ended.granted.usage);
      const isStored = await completions.add({
        runId,
        attempt,
        status,
        result,
        failure,
        messages,
        ...record,
      });
      return isStored ? outcome : null;
    } catch (error) {
      // The database would refuse the same row on every retry, so the run would never end.
      if (!isRowError(error)) throw error;
      const refused = wholeRunFailure('internal', 'The result of the run could not be stored.');
      const end = { status: 'failed' as const, failure: refused, messages: [] };
      const isStored = await completions.add({ runId, attempt, ...end, result: null });
      return isStored ? { ...end, body: Buffer.from(JSON.stringify(refused)), byOutage: false, error } : null;
    }
  }
}

function identityOf({ delivered, granted }: Ended): RunAttempt {
  return { runId: delivered.job.runId, attempt: granted.attempt };
}
