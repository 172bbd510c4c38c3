import type { RunEnd, RunFailure } from '@millrace/contracts';
import { LineLimit } from '@millrace/service';
import type { Logger, Metrics } from '@millrace/service';

const MAXIMUM_REASON_LENGTH = 500;
const MAXIMUM_NAME_LENGTH = 200;

/** A run that did not succeed, or an attempt of one. */
export interface FailedRun {
  readonly runId: string;
  readonly flowId: string;
  readonly userId: string;
  readonly status: RunEnd;
  readonly failure: RunFailure | null;
  /** Null when no attempt began. */
  readonly attempt: number | null;
  /** Id of the HTTP request that started the run, if known. */
  readonly requestId?: string | null | undefined;
  /** Set when another attempt follows after this pause. */
  readonly retryInMilliseconds?: number;
  /** The error behind an internal failure of Millrace. */
  readonly error?: unknown;
}

/**
 * Writes one line for each run that was refused, failed, timed out or was marked dead, at `warn`; at `info` for a
 * cancelled run, and at `error`, with the stack, for an internal failure of Millrace. The process that ends a run
 * writes its line. At most 5 lines a second per flow and 50 per process are written.
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
    ...(requestId ? { requestId: truncated(requestId, MAXIMUM_NAME_LENGTH) } : {}),
    runId,
    flowId,
    userId,
    attempt,
    status,
    code: failure?.code ?? null,
    reason: failure === null ? null : truncated(failure.message, MAXIMUM_REASON_LENGTH),
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

/** The vertex that failed; for a refused flow the first vertex that cannot run. */
function vertexOf(failure: RunFailure | null): object | null {
  const named = failure?.vertex ?? null;
  const [problem] = failure?.problems ?? [];
  if (named === null && !problem?.vertexId) return null;
  return {
    id: truncated(named?.id ?? problem?.vertexId ?? '', MAXIMUM_NAME_LENGTH),
    ...(named === null ? {} : { displayName: truncated(named.displayName, MAXIMUM_NAME_LENGTH) }),
    type: truncated(named?.type ?? problem?.componentType ?? '', MAXIMUM_NAME_LENGTH),
  };
}

function truncated(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
