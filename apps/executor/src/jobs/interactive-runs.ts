import type { Job } from '@millrace/messages';
import { originOf } from '@millrace/dispatch';
import type { RunRecords, RunRequest } from '@millrace/flow';
import type { KeyValueStore } from '@millrace/key-value';
import type { Verdict } from '@millrace/messaging';
import type { InteractiveRun, NewRun, RequestSeal, RunStore } from '@millrace/runs';
import { activeTraceparent, machineTime, withDeadline } from '@millrace/service';
import type { Logger, SharedClock } from '@millrace/service';
import { toRunFailure, wholeRunFailure } from '../attempts/run-failure';
import { storedRecord } from '../attempts/vertex-records/run-recorder';
import type { Settlement } from '../intake/in-flight-runs';
import { requestOf, remainingMilliseconds } from '../intake/read-job';
import type { DeliveredJob } from '../intake/read-job';
import type { Takeover } from '../intake/takeover';
import type { InteractiveRecords, RecordOutcome } from '../records/group-writes';
import { isReadLater } from '../records/run-messages';
import type { MessageVisibility } from '../records/run-messages';
import type { RunUpdates } from '../records/run-updates';
import type { PeriodicCounts } from '../records/periodic-counts';
import { storedBody } from '../replies/replies';
import type { Replies } from '../replies/replies';
import type { AttemptDecision, ReleaseCause } from './decide-after-attempt';
import type { ExecutedAttempt, GrantedAttempt, RunKind } from './run-kind';
import { timingOf, usedBy } from './run-log';
import type { RunOutcomes } from './run-log';

/** Maximum attempts of an interactive run; the last one runs with no other run in its process. */
const MAXIMUM_ATTEMPTS = 3;
/** A caller is waiting, so fail fast while the database is unavailable. */
const RESTART_TIMEOUT_MILLISECONDS = 5_000;
/** How long a delivery stays unsettled for its record; after that, a database outage does not block the lane. */
const RECORD_TIMEOUT_MILLISECONDS = 2_000;

export interface InteractiveRunsDependencies {
  readonly clock: SharedClock;
  readonly keyValue: KeyValueStore;
  readonly seal: RequestSeal;
  readonly takeover: Takeover;
  readonly updates: RunUpdates;
  readonly replies: Replies;
  readonly outcomes: RunOutcomes;
  readonly runs: RunStore;
  readonly worker: string;
  readonly records: InteractiveRecords;
  readonly unrecorded: PeriodicCounts<number>;
  readonly visibility: MessageVisibility;
  readonly logger: Logger;
}

/** An attempt of a run whose caller waits. */
interface InteractiveAttempt extends GrantedAttempt {
  readonly request: RunRequest;
  /** Milliseconds since the epoch, by this machine's clock. */
  readonly deadline: number;
}

type Executed = ExecutedAttempt<InteractiveAttempt>;

/**
 * Runs without a row whose callers wait: executed, answered, recorded, then the delivery is settled. Errors before the
 * answer are reported to the caller; only a run whose executor crashed is retried without the caller noticing.
 */
export class InteractiveRuns implements RunKind<InteractiveAttempt> {
  readonly durable = false;
  readonly #dependencies: InteractiveRunsDependencies;

  constructor(dependencies: InteractiveRunsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Resolves to the attempt, or to the verdict on a job whose run is late, has ended or is executed elsewhere. */
  async grant(delivered: DeliveredJob): Promise<InteractiveAttempt | Verdict> {
    const { clock, keyValue, seal, takeover, outcomes } = this.#dependencies;
    const { job, delivery } = delivered;
    const remaining = job.deadline === null ? 0 : remainingMilliseconds(job, clock);
    if (remaining <= 0) return outcomes.settleLate(delivered, -remaining);
    const deadline = machineTime() + remaining;
    const request = await requestOf(job, { keyValue, seal });
    if (!request) throw new Error('the request of the run is missing or cannot be decrypted');
    const first = firstAttempt(job, request, deadline);
    if (!delivery.redelivered) return first;
    const location = await takeover.locate({ runId: job.runId, timeoutMilliseconds: remaining });
    return location === 'elsewhere' ? 'done' : this.#restart(delivered, first);
  }

  deadline(_job: Job, { deadline }: InteractiveAttempt): number {
    return deadline;
  }

  /** Without a claim, an attempt is never fenced or retried by a rule: it is released, or the run ends with it. */
  settle(attempt: Executed, decision: AttemptDecision): Promise<Verdict> {
    return decision.kind === 'release' ? this.#release(attempt, decision.cause) : this.#complete(attempt);
  }

  /** Reports the error to the caller. */
  settleError(delivered: DeliveredJob, _settlement: Settlement, error: unknown): Promise<Verdict> {
    const details = { attempt: null, error };
    return this.#dependencies.outcomes.settleUnexecuted(delivered, 'failed', toRunFailure(error), details);
  }

  /** Restarts a run that its executor lost. It gets a row first, so that a run that crashes its executors ends. */
  async #restart(delivered: DeliveredJob, first: InteractiveAttempt): Promise<InteractiveAttempt | Verdict> {
    const { updates, replies, outcomes } = this.#dependencies;
    const late = machineTime() - first.deadline;
    if (late >= 0) return outcomes.settleLate(delivered, late);
    const { job, delivery } = delivered;
    const begun = await updates.restart(
      interactiveRow(job, first),
      Math.min(RESTART_TIMEOUT_MILLISECONDS, -late),
    );
    if ('attempt' in begun) return { ...first, ...begun, repeatReason: 'redelivered' };
    if ('finished' in begun) {
      const { status, attempt, resultText, failure } = begun.finished;
      if (status === 'accepted' || status === 'queued' || status === 'running' || status === 'suspended')
        return 'retry';
      const caller = { runId: job.runId, replyTo: delivery.replyTo, attempt };
      await replies.answer(caller, status, storedBody(status, resultText, failure));
      return 'done';
    }
    const failure = wholeRunFailure(
      'attempts_exhausted',
      'The executor crashed on every attempt of the run.',
    );
    return outcomes.settleUnexecuted(delivered, 'dead', failure, { attempt: begun.lastAttempt });
  }

  /** Returns the run to the queue; the attempt does not count. */
  async #release({ delivered, granted, outcome }: Executed, cause: ReleaseCause): Promise<Verdict> {
    const { runs, outcomes, logger } = this.#dependencies;
    const { runId } = delivered.job;
    const { attempt } = granted;
    // The first attempt has no row.
    if (attempt > 1)
      await runs
        .release([{ runId, attempt }])
        .catch((error: unknown) =>
          logger.warn({ error, runId }, 'could not release a run; its attempt will count'),
        );
    outcomes.logReleased({ ...delivered.job, attempt }, outcome, cause);
    return 'retry';
  }

  /** Answers the caller while the run is recorded. The caller waits for neither the record nor the settling. */
  async #complete(attempt: Executed): Promise<Verdict> {
    const { outcomes, visibility, unrecorded } = this.#dependencies;
    const { delivered, granted, settlement, outcome, replies, slot, milliseconds } = attempt;
    const { job } = delivered;
    outcomes.count(job, outcome.status, milliseconds, usedBy(attempt));
    const { userId, flowId } = job;
    const record = keptOf(attempt);
    const { messages } = outcome;
    const isKept = record !== 'none' || namesSession(granted.request, flowId);
    const recorded = isKept ? this.#record(attempt, record) : Promise.resolve('stored' as const);
    // Without its record, another executor that gets a redelivery must find the run here.
    if (isKept) settlement.holdUntil(recorded);
    if (record === 'none') settlement.endWithoutRow();
    const owner = { userId, flowId, deadline: granted.deadline };
    if (isKept && isReadLater(outcome, flowId)) await visibility.show(owner, messages, recorded);
    if (record === 'none') unrecorded.add(flowId, 1);
    const timing = granted.request.stream ? null : timingOf(attempt);
    const answered = replies?.end(outcome.status, outcome.body, {
      cache: outcome.cache,
      timing,
      record: record === 'none' && isKept ? 'messages' : record,
    });
    // The remaining work needs no slot.
    slot?.release();
    await withDeadline(recorded, RECORD_TIMEOUT_MILLISECONDS, 'the record is not stored yet').catch(
      () => undefined,
    );
    await answered;
    return 'done';
  }

  /** Records the run. Never rejects. */
  async #record(attempt: Executed, kept: RunRecords): Promise<RecordOutcome> {
    const { records, visibility, outcomes } = this.#dependencies;
    const { delivered, granted, outcome } = attempt;
    const { job, delivery } = delivered;
    const { runId, flowId, userId, requestId } = job;
    const { status, failure, error } = outcome;
    const recorded = await records.add({ replyTo: delivery.replyTo, run: this.#recordOf(attempt, kept) });
    if (recorded === 'superseded') {
      await visibility.hide(job, outcome.messages);
      return recorded;
    }
    // The caller's gateway logs a passed deadline itself, because no executor may have started the run.
    if (status !== 'timed_out')
      outcomes.log({ runId, flowId, userId, requestId, attempt: granted.attempt, status, failure, error });
    if (!isReadLater(outcome, flowId)) await visibility.follow(job, outcome.messages);
    return recorded;
  }

  /** Lists every member, because each run creates one and spreading objects of this size is slow. */
  #recordOf(
    { delivered, granted, outcome, startedAt: startedMilliseconds }: Executed,
    kept: RunRecords,
  ): InteractiveRun {
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
      keyId: keepsKey(run, status) ? (run.keyId ?? null) : null,
      attempt,
      worker,
      kept,
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

/** What is kept of a run that is over. A run that failed, or that has a row because its executor was lost, is kept whole. */
function keptOf({ granted, outcome }: Executed): RunRecords {
  if (outcome.status !== 'succeeded' || granted.attempt > 1) return 'full';
  return granted.recordSettings?.runs ?? 'full';
}

/** Whether the key is stored, so that a replay has its budgets: of a run that can be replayed as it is, or of an end user. */
function keepsKey({ sessionId }: NewRun, status: InteractiveRun['status']): boolean {
  return status !== 'succeeded' || sessionId.includes('::');
}

/** Whether the caller named the session: without a name it is the flow's, or one of its own. */
function namesSession({ sessionId, isOwnSession }: RunRequest, flowId: string): boolean {
  return sessionId !== flowId && isOwnSession !== true;
}

function firstAttempt(job: Job, request: RunRequest, deadline: number): InteractiveAttempt {
  return {
    attempt: 1,
    answers: null,
    countedAttempts: 1,
    maximumAttempts: MAXIMUM_ATTEMPTS,
    retries: 0,
    retry: null,
    repeatReason: null,
    previousWorker: null,
    userId: job.userId,
    flowId: job.flowId,
    flowVersion: job.flowVersion,
    request,
    deadline,
    acceptedAt: acceptedAtOf(job),
    usage: null,
    recordSettings: job.records ?? null,
    keyId: job.keyId ?? null,
    traceparent: activeTraceparent(),
    replayedTraceparent: null,
  };
}

/** When the gateway accepted the run: by the database's clock if the gateway has measured it, else by its own. */
function acceptedAtOf({ acceptedAt, deadline, databaseDeadline }: Job): Date {
  if (deadline === null || databaseDeadline === undefined) return new Date(acceptedAt);
  return new Date(acceptedAt + databaseDeadline - deadline);
}

/** Returns the row of an interactive run, which is written at its end, or before it is restarted. */
function interactiveRow(
  job: Job,
  { request, traceparent }: Pick<InteractiveAttempt, 'request' | 'traceparent'>,
): NewRun {
  return {
    id: job.runId,
    flowId: job.flowId,
    flowVersion: job.flowVersion,
    userId: job.userId,
    lane: 'interactive',
    pool: job.pool,
    origin: originOf(request),
    request,
    sessionId: request.sessionId,
    limitMilliseconds: Math.max(1, (job.deadline ?? job.acceptedAt) - job.acceptedAt),
    maximumAttempts: MAXIMUM_ATTEMPTS,
    traceparent,
    requestId: job.requestId ?? null,
    keyId: job.keyId ?? null,
  };
}
