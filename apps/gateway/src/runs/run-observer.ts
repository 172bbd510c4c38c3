import type { ServerResponse } from 'node:http';
import type { RunRequest } from '@millrace/flow';
import type { FailedRunLog } from '@millrace/runs';
import type { Counter, Histogram } from '@millrace/service';
import { requestIdOf } from '../http/request-id';
import type { RequestLog } from '../http/request-log';
import type { RunEnding, WaitingRun } from './waiting-run';

export interface RunObserverOptions {
  readonly answered: Counter;
  readonly seconds: Histogram;
  readonly requests: RequestLog;
  readonly failedRuns: FailedRunLog;
}

/** Measures how runs end for their callers, and sees to it that each that fails has one line in the log. */
export class RunObserver {
  readonly #options: RunObserverOptions;

  constructor(options: RunObserverOptions) {
    this.#options = options;
  }

  /** The run that `response` waits for since `started` has ended; to be called before that is told. */
  ended(
    response: ServerResponse,
    run: WaitingRun,
    ending: RunEnding,
    { form, started }: { readonly form: RunRequest['form']; readonly started: number },
  ): void {
    const outcome = ending.kind === 'failed' ? ending.status : ending.kind;
    this.#options.answered.add(1, { form, outcome });
    this.#options.seconds.record((performance.now() - started) / 1000, { form, outcome });
    if (ending.kind !== 'succeeded') this.#log(response, run, ending);
  }

  /**
   * Who ends a run writes its line. That is an executor or, by the row, whoever finds it given up; this gateway is it
   * for a run without a row that it does not wait for any longer. Then the request needs no line of its own, unless the
   * run was asked for by an earlier request.
   */
  #log(response: ServerResponse, { options, attempt }: WaitingRun, ending: Failed): void {
    const { requests, failedRuns } = this.#options;
    const { runId, flowId, userId, requestId, durable } = options;
    if (requestId !== requestIdOf(response) || (durable && ending.kind === 'lost')) return;
    requests.leaveToRun(response);
    const end = durable ? null : endedHere(ending);
    if (end) failedRuns.write({ runId, flowId, userId, requestId, attempt: attempt || null, ...end });
  }
}

type Failed = Exclude<RunEnding, { kind: 'succeeded' }>;

/** Null for what an executor writes down: failures, and whatever becomes of a run that is cancelled. */
function endedHere(ending: Failed) {
  if (ending.kind === 'failed') return ending.status === 'timed_out' ? ending : null;
  const { code, message } = ending.error;
  if (code === 'cancelled') return null;
  const failure = { code, message, vertex: null, problems: [] };
  return { status: code === 'deadline_exceeded' ? ('timed_out' as const) : ('failed' as const), failure };
}
