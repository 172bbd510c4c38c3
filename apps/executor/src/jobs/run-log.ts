import type { Job, RunEnd, RunFailure } from '@millrace/messages';
import type { EndedUse, FailedRunLog, RepeatReason, FailedRun, RunUsage } from '@millrace/runs';
import { activeTraceparent } from '@millrace/service';
import type { Counter, Metrics, Histogram, Logger } from '@millrace/service';
import type { Verdict } from '@millrace/messaging';
import type { LostAttempts } from '@millrace/dispatch';
import type { GrantedAttempt, ExecutedAttempt } from './run-kind';
import { addUsage } from '../attempts/vertex-records/model-usage';
import type { UsageCounts } from '../records/usage-counts';
import { wholeRunFailure } from '../attempts/run-failure';
import type { DeliveredJob } from '../intake/read-job';
import type { Replies } from '../replies/replies';
import type { ReleaseCause } from './decide-after-attempt';

const REASONS: readonly (RepeatReason | 'first')[] = [
  'first',
  'failed',
  'given_back',
  'handed_off',
  'executor_lost',
  'redelivered',
  'suspended',
];

export interface BegunAttemptsDependencies {
  readonly metrics: Metrics;
  readonly failedRuns: FailedRunLog;
  readonly pool: string;
}

/** Counts the attempts that begin in this executor, and logs them; the first of a run at the level `debug`. */
export class BegunAttempts {
  readonly #failedRuns: FailedRunLog;
  readonly #begun: Counter;

  constructor({ metrics, failedRuns, pool }: BegunAttemptsDependencies) {
    this.#failedRuns = failedRuns;
    this.#begun = metrics.counter(
      'millrace_run_attempts_total',
      'Attempts that began, by lane, pool and reason: first, or why the run has a further attempt',
      { labels: { lane: ['interactive', 'background'], pool: [pool], reason: REASONS } },
    );
  }

  begin({ lane, pool, runId, requestId }: Job, granted: GrantedAttempt): void {
    const { repeatReason: reason, attempt, flowId, userId, previousWorker } = granted;
    this.#begun.add(1, { lane, pool, reason: reason ?? 'first' });
    const run = { runId, flowId, userId, requestId: granted.requestId ?? requestId ?? null, attempt };
    if (reason === null) this.#failedRuns.writeBegun(run);
    else this.#failedRuns.writeRepeat({ ...run, reason, previousWorker });
  }
}

const DURATION_BOUNDARIES = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 600];

const STATUSES: readonly RunEnd[] = ['succeeded', 'failed', 'cancelled', 'timed_out', 'dead'];
const STOPPING = wholeRunFailure('shutting_down', 'The executor stops.');

export interface RunOutcomesDependencies {
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly replies: Replies;
  readonly pool: string;
  readonly failedRuns: FailedRunLog;
  readonly usageCounts: UsageCounts;
  /** Absent when the process is not traced. */
  readonly lost?: LostAttempts | undefined;
}

/** Counts and logs the outcomes of runs in this executor, and settles the runs that it does not execute. */
export class RunOutcomes {
  readonly #dependencies: RunOutcomesDependencies;
  readonly #finished: Counter;
  readonly #duration: Histogram;
  readonly #suspended: Counter;

  constructor(dependencies: RunOutcomesDependencies) {
    this.#dependencies = dependencies;
    const { metrics } = dependencies;
    this.#finished = metrics.counter(
      'millrace_runs_finished_total',
      'Runs that ended in this executor, by status, lane and pool',
      { labels: { status: STATUSES, lane: ['interactive', 'background'], pool: [dependencies.pool] } },
    );
    this.#suspended = metrics.counter(
      'millrace_runs_suspended_total',
      'Attempts at whose end the run waits for human input, by pool',
      { labels: { pool: [dependencies.pool] } },
    );
    this.#duration = metrics.histogram('millrace_run_duration_seconds', 'Duration of attempts', {
      unit: 's',
      boundaries: DURATION_BOUNDARIES,
    });
  }

  /** Counts the outcome of a run, the duration of its last attempt, and what it used; nothing for one without an attempt. */
  count(job: Job, status: RunEnd, milliseconds: number, used: Used = UNUSED): void {
    const { lane, pool, userId, flowId, keyId } = job;
    this.#finished.add(1, { status, lane, pool });
    this.#duration.record(milliseconds / 1_000, { lane });
    this.#dependencies.usageCounts.add({
      userId,
      flowId,
      keyId: used.keyId ?? keyId ?? null,
      pool,
      status,
      usage: used.usage,
      waitingMilliseconds: used.waitingMilliseconds,
      runningMilliseconds: milliseconds,
    });
  }

  /** Writes the log line of a run that did not succeed. */
  log(run: FailedRun): void {
    this.#dependencies.failedRuns.write(run);
  }

  /** Writes the log line of an attempt that this executor gives back. */
  logReleased(
    { runId, flowId, userId, attempt, requestId }: Omit<FailedRun, 'status' | 'failure'>,
    { status, failure, error }: Pick<FailedRun, 'status' | 'failure' | 'error'>,
    givenBackBy: ReleaseCause,
  ): void {
    const run = { runId, flowId, userId, attempt, requestId, status, givenBackBy };
    const isStop = givenBackBy === 'shutdown';
    this.log({ ...run, failure: isStop ? STOPPING : failure, ...(isStop ? {} : { error }) });
  }

  /** Counts a run that waits for a person, and logs it. */
  logSuspended(
    {
      runId,
      flowId,
      userId,
      attempt,
      pool,
    }: Pick<FailedRun, 'runId' | 'flowId' | 'userId' | 'attempt'> & { readonly pool: string },
    requests: number,
  ): void {
    this.#suspended.add(1, { pool });
    this.#dependencies.logger.info(
      { runId, flowId, userId, attempt, requests },
      'run suspended: it waits for human input',
    );
  }

  /** Logs a run that is not executed (any more), answers its caller, and counts its outcome. */
  async settleUnexecuted(
    delivered: DeliveredJob,
    status: RunEnd,
    failure: RunFailure,
    details: Pick<FailedRun, 'attempt' | 'requestId' | 'error'>,
  ): Promise<Verdict> {
    const { job } = delivered;
    this.log({ ...job, status, failure, ...details });
    if (failure.code === 'attempts_exhausted') this.#recordLast(job, details.attempt);
    return this.#answerAndCount(delivered, status, failure);
  }

  /**
   * Settles a run without a row whose deadline passed before its start: logs it, answers its caller, and counts its
   * outcome.
   */
  async settleLate(delivered: DeliveredJob, lateMilliseconds: number): Promise<Verdict> {
    const { runId, flowId, userId, requestId } = delivered.job;
    const fields = { runId, flowId, userId, requestId, lateMilliseconds: Math.round(lateMilliseconds) };
    this.#dependencies.logger.warn(fields, 'a run was not started: its deadline had passed');
    const failure = wholeRunFailure('deadline_exceeded', 'The run did not start before its deadline.');
    return this.#answerAndCount(delivered, 'timed_out', failure);
  }

  close(): void {
    this.#dependencies.failedRuns.close();
  }

  /** Records the span of the last attempt of a run that no other one follows. */
  #recordLast(job: Job, attempt: number | null): void {
    if (attempt === null) return;
    const acceptedAt = new Date(job.acceptedAt);
    void this.#dependencies.lost?.record({ ...job, attempt, acceptedAt, traceparent: activeTraceparent() });
  }

  async #answerAndCount(
    { job, delivery: { replyTo } }: DeliveredJob,
    status: RunEnd,
    failure: RunFailure,
  ): Promise<Verdict> {
    await this.#dependencies.replies.answer({ runId: job.runId, replyTo }, status, JSON.stringify(failure));
    this.count(job, status, 0);
    return 'done';
  }
}

/** What a run used, as far as its last attempt knows. */
type Used = Pick<EndedUse, 'keyId' | 'usage' | 'waitingMilliseconds'>;
const UNUSED: Used = { keyId: null, usage: null, waitingMilliseconds: 0 };

/** Returns what a run used whose last attempt this is. */
export function usedBy({ granted, startedAt, outcome }: ExecutedAttempt<GrantedAttempt>): Used {
  const usage = outcome.record?.usage ?? null;
  const earlier = granted.usage === null ? null : (JSON.parse(granted.usage) as RunUsage);
  return {
    keyId: granted.keyId ?? granted.request?.keyId ?? null,
    usage: earlier && usage ? addUsage(earlier, usage) : (usage ?? earlier),
    waitingMilliseconds: startedAt - granted.acceptedAt.getTime(),
  };
}

/**
 * Returns where the time of a run went, as the header of its reply: the milliseconds before its attempt, then those of
 * its slowest vertex and the id of that. Null when the attempt was not recorded.
 */
export function timingOf({ granted, startedAt, outcome }: ExecutedAttempt<GrantedAttempt>): string | null {
  const slowest = outcome.record?.slowest;
  if (!slowest) return null;
  const waited = Math.max(0, startedAt - granted.acceptedAt.getTime());
  return `${waited.toFixed(1)} ${slowest.milliseconds.toFixed(1)} ${slowest.vertexId}`;
}
