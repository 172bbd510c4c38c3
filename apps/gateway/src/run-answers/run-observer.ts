import type { ServerResponse } from 'node:http';
import type { RunRequest } from '@millrace/flow';
import type { FailedRunLog } from '@millrace/runs';
import type { Counter, Histogram } from '@millrace/service';
import { toHttpError } from '../http/answers/answer-error';
import type { RequestLog } from '../http/request-log';
import type { RunEnding, PendingRun } from '../runs/pending-run';
import { requestIdOf } from '../http/routing/route';

export interface RunObserverOptions {
  readonly response: Counter;
  readonly seconds: Histogram;
  /** The same under its former name. */
  readonly formerSeconds: Histogram;
  readonly requests: RequestLog;
  readonly failedRuns: FailedRunLog;
}

/** Records metrics of answered runs, and ensures that each failed run has exactly one log line. */
export class RunObserver {
  readonly #options: RunObserverOptions;

  constructor(options: RunObserverOptions) {
    this.#options = options;
  }

  /** Records that the run of this response has ended. Must be called before the answer is sent. */
  ended(
    response: ServerResponse,
    run: PendingRun,
    ending: RunEnding,
    { form, started }: { readonly form: RunRequest['form']; readonly started: number },
  ): void {
    const outcome = ending.kind === 'failed' ? ending.status : ending.kind;
    this.#options.response.add(1, { form, outcome });
    const seconds = (performance.now() - started) / 1000;
    this.#options.seconds.record(seconds, { form, outcome });
    this.#options.formerSeconds.record(seconds, { form, outcome });
    if (ending.kind !== 'succeeded' && ending.kind !== 'suspended') this.#log(response, run, ending);
  }

  /**
   * The process that ends a run writes its log line: an executor, or the process that marks a durable run dead. This
   * gateway writes it for an interactive run that it stops waiting for. The request then needs no separate line, unless
   * an earlier request started the run.
   */
  #log(response: ServerResponse, { options, attempt }: PendingRun, ending: Failed): void {
    const { requests, failedRuns } = this.#options;
    const { runId, flowId, userId, requestId, durable } = options;
    if (requestId !== requestIdOf(response) || (durable && ending.kind === 'lost')) return;
    requests.suppress(response);
    const end = durable ? null : endingToLog(ending);
    if (end) failedRuns.write({ runId, flowId, userId, requestId, attempt: attempt || null, ...end });
  }
}

type Failed = Exclude<RunEnding, { kind: 'succeeded' | 'suspended' }>;

/** Returns null for endings that an executor records: failures and cancellations. */
function endingToLog(ending: Failed) {
  if (ending.kind === 'failed') return ending.status === 'timed_out' ? ending : null;
  const { code, message } = toHttpError(ending.error);
  if (code === 'cancelled') return null;
  const failure = { code, message, vertex: null, problems: [] };
  return { status: code === 'deadline_exceeded' ? ('timed_out' as const) : ('failed' as const), failure };
}
