import { setTimeout as sleep } from 'node:timers/promises';
import { SUSPENDED } from '@millrace/messages';
import type { Job } from '@millrace/messages';
import type { Verdict } from '@millrace/messaging';
import { shownRequest } from '@millrace/flow';
import { isRowError, ObjectStoreUnavailableError, questionMessage } from '@millrace/runs';
import type { Claim, ClaimedRun, FailedRunLog, RunAttempt, RunStore } from '@millrace/runs';
import { backoff, machineTime } from '@millrace/service';
import type { Logger, SharedClock } from '@millrace/service';
import type { AttemptOutcome, Suspension } from '../attempts/attempt-outcome';
import { toRunFailure, wholeRunFailure } from '../attempts/run-failure';
import { storedRecord } from '../attempts/vertex-records/run-recorder';
import type { Settlement } from '../intake/in-flight-runs';
import type { DeliveredJob } from '../intake/read-job';
import { remainingMilliseconds } from '../intake/read-job';
import type { Takeover } from '../intake/takeover';
import type { GroupClaims, GroupCompletions } from '../records/group-writes';
import { isReadLater } from '../records/run-messages';
import type { MessageVisibility } from '../records/run-messages';
import type { RunUpdates } from '../records/run-updates';
import { storedBody } from '../replies/replies';
import type { Replies } from '../replies/replies';
import { reportOutcome } from '../replies/run-report';
import type { AttemptDecision } from './decide-after-attempt';
import type { ExecutedAttempt, RunKind } from './run-kind';
import { timingOf, usedBy } from './run-log';
import type { RunOutcomes } from './run-log';

const OUTAGE_PAUSE = { initialMilliseconds: 500, maximumMilliseconds: 30_000 };

export interface DurableRunsDependencies {
  readonly claims: GroupClaims;
  readonly runs: Pick<RunStore, 'wholeResult'>;
  readonly takeover: Takeover;
  readonly worker: string;
  readonly replies: Replies;
  readonly outcomes: RunOutcomes;
  readonly failedRuns: FailedRunLog;
  readonly updates: RunUpdates;
  readonly completions: GroupCompletions;
  readonly visibility: MessageVisibility;
  readonly clock: SharedClock;
  readonly logger: Logger;
  /** Fires when the executor stops taking jobs. */
  readonly draining: AbortSignal;
  /** Fires when the time for a graceful stop is over. */
  readonly shutdownDeadline: AbortSignal;
  /** Resolves to false when the run could not be handed off. Never rejects. */
  handOff(delivered: DeliveredJob, error: unknown): Promise<boolean>;
}

type ExecutedClaim = ExecutedAttempt<ClaimedRun>;

/**
 * Runs with a row: claimed (fenced), executed, completed (fenced), then answered, then the delivery is settled. The row
 * decides; the message is a hint that can arrive twice or after the run has ended. Every write names the attempt, so an
 * attempt that was taken over writes nothing.
 */
export class DurableRuns implements RunKind<ClaimedRun> {
  readonly durable = true;
  readonly #dependencies: DurableRunsDependencies;

  constructor(dependencies: DurableRunsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Resolves to the claim, or to the verdict on a job whose run has ended or belongs to another executor. */
  async grant(delivered: DeliveredJob, settlement: Settlement): Promise<ClaimedRun | Verdict> {
    const { replies, outcomes, failedRuns, logger } = this.#dependencies;
    const { job, delivery } = delivered;
    const { runId, flowId } = job;
    const { replyTo } = delivery;
    const claim = await this.#claim(delivered);
    switch (claim.outcome) {
      case 'claimed':
        settlement.onClaimed();
        return claim;
      case 'held':
        return 'done';
      case 'locked':
        logger.warn({ runId, flowId }, 'another session locks the row of a run; it is delivered again');
        // The sweeper publishes a queued run again only once its queue is empty.
        return delivered.isNearDeliveryLimit ? 'done' : 'retry';
      case 'finished': {
        const { attempt, status, resultText, failure } = claim;
        const caller = { runId, replyTo, attempt };
        try {
          const result = await this.#dependencies.runs.wholeResult(runId, resultText);
          await replies.answer(caller, status, storedBody(status, result, failure));
        } catch (error) {
          if (!(error instanceof ObjectStoreUnavailableError)) throw error;
          await replies.answer(caller, 'failed', JSON.stringify(toRunFailure(error)));
        }
        return 'done';
      }
      case 'postponed':
        failedRuns.writeLost(claim.lost);
        return 'done';
      case 'exhausted': {
        const { attempt, requestId } = claim;
        const failure = wholeRunFailure(
          'attempts_exhausted',
          'Each attempt of the run ended without a result.',
        );
        return outcomes.settleUnexecuted(delivered, 'dead', failure, { attempt, requestId });
      }
      case 'unknown': {
        logger.warn({ runId, flowId }, 'job without a run: the run is not in the database');
        const failure = wholeRunFailure('flow_refused', 'The flow has been deleted.');
        await replies.answer({ runId, replyTo }, 'failed', JSON.stringify(failure));
        return 'done';
      }
    }
  }

  deadline(job: Job, { limitMilliseconds }: ClaimedRun): number {
    return machineTime() + Math.min(limitMilliseconds, remainingMilliseconds(job, this.#dependencies.clock));
  }

  async settle(attempt: ExecutedClaim, decision: AttemptDecision): Promise<Verdict> {
    // Storing and delivering the outcome needs no slot; release it for the next run.
    attempt.slot?.release();
    const { updates, outcomes, logger } = this.#dependencies;
    switch (decision.kind) {
      case 'discard':
        logger.info(identityOf(attempt), 'another attempt owns this run: stopped');
        return 'done';
      case 'release':
        await updates.release(identityOf(attempt), attempt.settlement.isSettled);
        outcomes.logReleased({ ...attempt.granted, ...identityOf(attempt) }, attempt.outcome, decision.cause);
        if (decision.cause === 'outage') await this.#pauseAfterOutage(attempt);
        return 'retry';
      case 'retry':
        return (await this.#retry(attempt, decision.pauseMilliseconds)) ? 'done' : this.#complete(attempt);
      case 'suspend':
        return this.#suspend(attempt, decision.suspension);
      case 'complete':
        return this.#complete(attempt);
    }
  }

  /** Hands the run off if the shutdown deadline passed before the run could be released. */
  async settleError(delivered: DeliveredJob, settlement: Settlement, error: unknown): Promise<Verdict> {
    const { shutdownDeadline, handOff, logger } = this.#dependencies;
    if (shutdownDeadline.aborted && (await handOff(delivered, error))) return 'done';
    // Its message is already settled, so the consumer does not report the error.
    if (settlement.isSettled)
      logger.error(
        { error, runId: delivered.job.runId },
        'a run failed after its message was settled; its lease will expire and it will be retried',
      );
    throw error;
  }

  /**
   * Claims the run. A lease also protects the run from a redelivery: the redelivery takes it over only when the executor
   * that holds the lease no longer executes it.
   */
  async #claim({ job: { runId, leftBy }, delivery: { redelivered } }: DeliveredJob): Promise<Claim> {
    const { claims, takeover, worker } = this.#dependencies;
    const order = { runId, worker, leftBy };
    const claim = await claims.add({ ...order, redelivered: false });
    if (!redelivered || claim.outcome !== 'held' || claim.worker === null || claim.attempt === 0)
      return claim;
    // This process has the run in flight through this delivery only: its earlier attempt ended and was not released.
    if (claim.worker === worker) return claims.add({ ...order, redelivered: false, leftBy: worker });
    const askedAt = performance.now();
    if ((await takeover.locate({ runId, holder: claim.worker })) !== 'nowhere') return claim;
    return claims.add({ ...order, redelivered: true, askedAt });
  }

  /** Immediate retries would meet the same outage and use up all attempts in seconds. */
  async #pauseAfterOutage({ granted: { attempt } }: ExecutedClaim): Promise<void> {
    const pause = backoff({ ...OUTAGE_PAUSE, attempt: attempt - 1 });
    await sleep(pause, undefined, { signal: this.#dependencies.draining }).catch(() => undefined);
  }

  /** Resolves to false when another attempt owns the run, or when it is to be cancelled. */
  async #retry(attempt: ExecutedClaim, retryInMilliseconds: number): Promise<boolean> {
    const { updates, outcomes } = this.#dependencies;
    const { granted, outcome } = attempt;
    const identity = identityOf(attempt);
    const isScheduled = await updates.retry({
      ...identity,
      ...storedRecord(outcome.record, granted.usage),
      failure: outcome.failure,
      pauseMilliseconds: retryInMilliseconds,
    });
    if (isScheduled) outcomes.log({ ...granted, ...outcome, runId: identity.runId, retryInMilliseconds });
    return isScheduled;
  }

  /** Stores what the run asks and keeps; it ends as cancelled if that was requested before. */
  async #suspend(attempt: ExecutedClaim, suspension: Suspension): Promise<Verdict> {
    const { updates, outcomes, visibility, clock } = this.#dependencies;
    const { granted, outcome, replies } = attempt;
    const identity = identityOf(attempt);
    const { userId, flowId, sessionId } = granted;
    const pausedAt = new Date(clock.now());
    const asked = { runId: identity.runId, userId, flowId, sessionId, timestamp: pausedAt };
    const messages = [
      ...outcome.messages,
      ...suspension.requests.map((request) => questionMessage(request, asked)),
    ];
    const record = storedRecord(outcome.record, granted.usage);
    if (!(await updates.suspend({ ...identity, ...record, ...suspension, messages })))
      return this.#complete({ ...attempt, outcome: cancelledOutcome });
    await visibility.show({ userId, flowId, deadline: machineTime() }, messages, Promise.resolve());
    outcomes.logSuspended({ ...granted, ...identity }, suspension.requests.length);
    const at = `${pausedAt.toISOString().slice(0, -1)}000+00:00`;
    if (granted.request?.stream || granted.request?.vertexEvents)
      for (const request of suspension.requests)
        await replies?.emit({ event: 'human_input_required', data: { ...shownRequest(request, at) } });
    await replies?.end(SUSPENDED, '{}');
    return 'done';
  }

  /** Stores the outcome of the run, then reports it to its caller and its watchers. */
  async #complete(attempt: ExecutedClaim): Promise<Verdict> {
    const { updates, outcomes, visibility, logger } = this.#dependencies;
    const { delivered, granted, report, replies, milliseconds } = attempt;
    const identity = identityOf(attempt);
    const outcome = await this.#store(attempt);
    if (!outcome) {
      logger.info(identity, 'another attempt owns this run: result discarded');
      await updates.confirmAlive(identity);
      return 'done';
    }
    // A run that was suspended goes on with an answer.
    if ((granted.answers ?? 0) > 0) await updates.forgetSuspensions(identity.runId);
    outcomes.count(delivered.job, outcome.status, milliseconds, usedBy(attempt));
    outcomes.log({ ...granted, ...outcome, runId: identity.runId });
    const owner = { userId: granted.userId, flowId: granted.flowId, deadline: machineTime() };
    const isRead = isReadLater(outcome, granted.flowId);
    const shown = isRead
      ? visibility.show(owner, outcome.messages, Promise.resolve())
      : visibility.follow(owner, outcome.messages);
    if (isRead) await shown;
    if (report) reportOutcome(report, outcome);
    await replies?.end(outcome.status, outcome.body, { cache: outcome.cache, timing: timingOf(attempt) });
    await shown;
    return 'done';
  }

  /** Resolves to the outcome that was stored, or to null when another attempt owns the run. */
  async #store(executed: ExecutedClaim): Promise<AttemptOutcome | null> {
    const { completions } = this.#dependencies;
    const { granted, outcome } = executed;
    const { status, body, failure, messages } = outcome;
    const { runId, attempt } = identityOf(executed);
    const result = status === 'succeeded' ? body : null;
    try {
      const record = storedRecord(outcome.record, granted.usage);
      const isStored = await completions.add({
        runId,
        attempt,
        flowId: granted.flowId,
        sessionId: granted.sessionId,
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
      const failed = { status: 'failed' as const, failure: refused, messages: [] };
      const isStored = await completions.add({ runId, attempt, ...failed, result: null });
      return isStored
        ? { ...failed, body: Buffer.from(JSON.stringify(refused)), byOutage: false, error }
        : null;
    }
  }
}

const cancelledFailure = wholeRunFailure('cancelled', 'The run was cancelled.');
const cancelledOutcome: AttemptOutcome = {
  status: 'cancelled',
  body: Buffer.from(JSON.stringify(cancelledFailure)),
  failure: cancelledFailure,
  messages: [],
  byOutage: false,
};

function identityOf({ delivered, granted }: ExecutedClaim): RunAttempt {
  return { runId: delivered.job.runId, attempt: granted.attempt };
}
