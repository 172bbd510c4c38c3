import type { Job } from '@millrace/messages';
import type { FailedRunLog, RepeatReason } from '@millrace/runs';
import type { Counter, Metrics } from '@millrace/service';
import type { GrantedAttempt } from './run-kind';

const REASONS: readonly (RepeatReason | 'first')[] = [
  'first',
  'failed',
  'given_back',
  'handed_off',
  'executor_lost',
  'redelivered',
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
