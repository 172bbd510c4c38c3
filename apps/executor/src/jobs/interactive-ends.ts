import type { Verdict } from '@millrace/messaging';
import type { InteractiveRun, RunStore } from '@millrace/runs';
import { withDeadline } from '@millrace/service';
import type { Logger, SharedClock } from '@millrace/service';
import { storedRecord } from '../attempts/vertex-records/stored-record';
import type { InteractiveRecords, RecordOutcome } from '../records/interactive-records';
import type { MessageVisibility } from '../records/message-visibility';
import type { AttemptEnd, GiveBackCause } from './decide-end';
import type { EndedRuns } from './ended-runs';
import { interactiveRow } from './interactive-attempt';
import type { InteractiveAttempt } from './interactive-attempt';
import { timingOf } from './timing-of';
import type { EndedAttempt } from './job-policy';

/** How long a delivery stays unsettled for its record; after that, a database outage does not block the lane. */
const RECORD_TIMEOUT_MILLISECONDS = 2_000;

export interface InteractiveEndsDependencies {
  readonly runs: RunStore;
  readonly worker: string;
  readonly clock: SharedClock;
  readonly records: InteractiveRecords;
  readonly visibility: MessageVisibility;
  readonly ended: EndedRuns;
  readonly logger: Logger;
}

type Ended = EndedAttempt<InteractiveAttempt>;

/** Ends the attempts of runs whose callers wait. */
export class InteractiveEnds {
  readonly #dependencies: InteractiveEndsDependencies;

  constructor(dependencies: InteractiveEndsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Without a claim, an attempt is never fenced or retried by a rule: it is released, or the run ends with it. */
  end(ended: Ended, end: AttemptEnd): Promise<Verdict> {
    return end.kind === 'release' ? this.#release(ended, end.cause) : this.#complete(ended);
  }

  /** Returns the run to the queue; the attempt does not count. */
  async #release({ delivered, granted, outcome }: Ended, cause: GiveBackCause): Promise<Verdict> {
    const { runs, ended, logger } = this.#dependencies;
    const { runId } = delivered.job;
    const { attempt } = granted;
    // The first attempt has no row.
    if (attempt > 1)
      await runs
        .release([{ runId, attempt }])
        .catch((error: unknown) =>
          logger.warn({ error, runId }, 'could not release a run; its attempt will count'),
        );
    ended.logGivenBack({ ...delivered.job, attempt }, outcome, cause);
    return 'retry';
  }

  /** Answers the caller while the run is recorded. The caller waits for neither the record nor the settling. */
  async #complete(attempt: Ended): Promise<Verdict> {
    const { ended, visibility } = this.#dependencies;
    const { delivered, granted, outcome, replies, slot, milliseconds } = attempt;
    const { job } = delivered;
    ended.count(job, outcome.status, milliseconds);
    const recorded = this.#record(attempt);
    const { userId, flowId } = job;
    await visibility.show({ userId, flowId, deadline: granted.deadline }, outcome.messages, recorded);
    const timing = granted.request.stream ? null : timingOf(attempt);
    const answered = replies?.end(outcome.status, outcome.body, { cache: outcome.cache, timing });
    // The remaining work needs no slot.
    slot?.release();
    await withDeadline(recorded, RECORD_TIMEOUT_MILLISECONDS, 'the record is not stored yet').catch(
      () => undefined,
    );
    await answered;
    return 'done';
  }

  /** Records the run. Never rejects. */
  async #record(attempt: Ended): Promise<RecordOutcome> {
    const { records, visibility, ended } = this.#dependencies;
    const { delivered, granted, outcome } = attempt;
    const { job, delivery } = delivered;
    const { runId, flowId, userId, requestId } = job;
    const { status, failure, error } = outcome;
    const recorded = await records.add({ replyTo: delivery.replyTo, run: this.#endedRun(attempt) });
    if (recorded === 'superseded') await visibility.hide(job, outcome.messages);
    // The caller's gateway logs a passed deadline itself, because no executor may have started the run.
    else if (status !== 'timed_out')
      ended.log({ runId, flowId, userId, requestId, attempt: granted.attempt, status, failure, error });
    return recorded;
  }

  /** Lists every member, because each run creates one and spreading objects of this size is slow. */
  #endedRun({ delivered, granted, outcome, startedAt: startedMilliseconds }: Ended): InteractiveRun {
    const { worker, clock } = this.#dependencies;
    const { attempt, acceptedAt } = granted;
    const { status, body, failure, messages, record } = outcome;
    const run = interactiveRow(delivered.job, granted);
    const startedAt = Math.max(acceptedAt.getTime(), startedMilliseconds);
    return {
      id: run.id,
      flowId: run.flowId,
      flowVersion: run.flowVersion,
      userId: run.userId,
      lane: run.lane,
      pool: run.pool,
      origin: run.origin,
      request: run.request,
      sessionId: run.sessionId,
      limitMilliseconds: run.limitMilliseconds,
      maximumAttempts: run.maximumAttempts,
      traceparent: run.traceparent ?? null,
      attempt,
      worker,
      status,
      result: status === 'succeeded' ? body : null,
      failure,
      acceptedAt,
      startedAt: new Date(startedAt),
      finishedAt: new Date(Math.max(startedAt, clock.now())),
      messages,
      ...storedRecord(record, null),
    };
  }
}
