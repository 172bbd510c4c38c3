import type { RunEnd, RunFailure } from '@millrace/contracts';
import { LineLimit } from '@millrace/service';
import type { Logger, Metrics } from '@millrace/service';

const LONGEST_REASON = 500;
const LONGEST_NAME = 200;

/** A run that did not succeed, or an attempt of one. */
export interface FailedRun {
  readonly runId: string;
  readonly flowId: string;
  readonly userId: string;
  readonly status: RunEnd;
  readonly failure: RunFailure | null;
  /** Null when none began. */
  readonly attempt: number | null;
  /** The HTTP request that asked for the run, where one is known. */
  readonly requestId?: string | null | undefined;
  /** Set when the run goes on with another attempt after this pause. */
  readonly retryInMilliseconds?: number;
  /** What is behind a failure that is Millrace's own. */
  readonly error?: unknown;
}

/**
 * Writes one line for each run that was refused, failed, timed out or was given up, at `warn`; at `info` when it was
 * cancelled, and at `error`, with its stack, when it failed for a reason of Millrace's own. The process that ends a run
 * writes its line. A flow that fails in a flood leaves 5 lines a second, all flows of a process 50.
 */
export class FailedRunLog {
  readonly #logger: Logger;
  readonly #limit: LineLimit;

  constructor({ logger, metrics }: { readonly logger: Logger; readonly metrics: Metrics }) {
    this.#logger = logger;
    this.#limit = new LineLimit({ logger, metrics, about: 'failed runs' });
  }

  write(run: FailedRun): void {
    if (run.status === 'succeeded' || !this.#limit.allows(run.flowId)) return;
    const level = run.error !== undefined ? 'error' : run.status === 'cancelled' ? 'info' : 'warn';
    this.#logger[level](fieldsOf(run), eventOf(run));
  }

  close(): void {
    this.#limit.close();
  }
}

function fieldsOf({ failure, requestId, ...run }: FailedRun): object {
  const { runId, flowId, userId, attempt, status, retryInMilliseconds, error } = run;
  return {
    ...(requestId ? { requestId: shortened(requestId, LONGEST_NAME) } : {}),
    runId,
    flowId,
    userId,
    attempt,
    status,
    code: failure?.code ?? null,
    reason: failure === null ? null : shortened(failure.message, LONGEST_REASON),
    vertex: vertexOf(failure),
    ...(retryInMilliseconds === undefined ? {} : { retryInMilliseconds }),
    ...(error === undefined ? {} : { error }),
  };
}

function eventOf({ status, failure, retryInMilliseconds }: FailedRun): string {
  if (retryInMilliseconds !== undefined) return 'run attempt failed; another one follows';
  if (failure?.code === 'flow_refused') return 'run refused';
  return `run ${status === 'timed_out' ? 'timed out' : status === 'dead' ? 'given up' : status}`;
}

/** Where it failed; for a flow that was refused the first vertex that cannot run. */
function vertexOf(failure: RunFailure | null): object | null {
  const named = failure?.vertex ?? null;
  const [problem] = failure?.problems ?? [];
  if (named === null && !problem?.vertexId) return null;
  return {
    id: shortened(named?.id ?? problem?.vertexId ?? '', LONGEST_NAME),
    ...(named === null ? {} : { displayName: shortened(named.displayName, LONGEST_NAME) }),
    type: shortened(named?.type ?? problem?.componentType ?? '', LONGEST_NAME),
  };
}

function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
