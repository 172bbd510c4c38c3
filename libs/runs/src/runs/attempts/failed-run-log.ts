import type { Lane, RunEnd, RunFailure } from '@millrace/messages';
import { LineLimit } from '@millrace/service';
import type { Logger, Metrics } from '@millrace/service';
import type { RepeatReason } from './repeat-reason';

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
  /** Set when the executor gives the run back; another attempt follows. */
  readonly givenBackBy?: 'shutdown' | 'outage';
  /** The error behind an internal failure of Millrace. */
  readonly error?: unknown;
}

/** An attempt that ended without a result, of a run that gets another one. */
export interface LostAttempt {
  readonly runId: string;
  readonly flowId: string;
  readonly userId: string;
  readonly lane: Lane;
  readonly pool: string;
  /** The attempt that was lost. */
  readonly attempt: number;
  readonly requestId: string | null;
  /** The executor that had it, if known. */
  readonly worker: string | null;
  /** The wait before the next attempt; null when the next one follows at once. */
  readonly retryInMilliseconds: number | null;
}

/** A further attempt that begins. */
export interface RepeatedRun extends Pick<FailedRun, 'runId' | 'flowId' | 'userId' | 'requestId'> {
  /** The attempt that begins. */
  readonly attempt: number;
  readonly reason: RepeatReason;
  /** The executor of the attempt before, if known. */
  readonly previousWorker: string | null;
}

/**
 * Writes one line for each run that was refused, failed, timed out or was marked dead, at `warn`; at `info` for a
 * cancelled run, and at `error`, with the stack, for an internal failure of Millrace. The process that ends a run
 * writes its line. Attempts that are lost, given back or begin again have a line, too. At most 5 lines a second per flow and 50 per process are written.
 */
export class FailedRunLog {
  readonly #logger: Logger;
  readonly #limit: LineLimit;

  constructor({ logger, metrics }: { readonly logger: Logger; readonly metrics: Metrics }) {
    this.#logger = logger;
    this.#limit = new LineLimit({ logger, metrics, about: 'failed runs' });
  }

  /** Writes a run that succeeded only at the level `debug`, so that its executor's log has its request id. */
  write(run: FailedRun): void {
    if (run.status === 'succeeded') return this.#writeSucceeded(run);
    if (!this.#limit.allows(run.flowId)) return;
    this.#logger[levelOf(run)](fieldsOf(run), eventOf(run));
  }

  #writeSucceeded({ runId, flowId, userId, attempt, requestId, status }: FailedRun): void {
    if (this.#logger.level !== 'debug') return;
    const fields = { ...requestField(requestId), runId, flowId, userId, attempt, status };
    this.#logger.debug(fields, 'run succeeded');
  }

  /** Logs that the first attempt begins, at the level `debug`: the log of an executor that is killed then has the run. */
  writeBegun({
    runId,
    flowId,
    userId,
    attempt,
    requestId,
  }: Omit<RepeatedRun, 'reason' | 'previousWorker'>): void {
    if (this.#logger.level !== 'debug') return;
    this.#logger.debug({ ...requestField(requestId), runId, flowId, userId, attempt }, 'run begins');
  }

  /** Logs that an attempt was lost, because its executor crashed, hangs or cannot reach the database. */
  writeLost({ runId, flowId, userId, attempt, requestId, worker, retryInMilliseconds }: LostAttempt): void {
    if (!this.#limit.allows(flowId)) return;
    const fields = {
      ...requestField(requestId),
      runId,
      flowId,
      userId,
      attempt,
      worker,
      ...(retryInMilliseconds === null ? {} : { retryInMilliseconds }),
      reason: 'its executor crashed, hangs or cannot be reached',
    };
    this.#logger.warn(fields, 'run attempt lost; another one follows');
  }

  /** Logs that a further attempt begins, and why. */
  writeRepeat({ runId, flowId, userId, attempt, requestId, reason, previousWorker }: RepeatedRun): void {
    if (!this.#limit.allows(flowId)) return;
    const ids = { ...requestField(requestId), runId, flowId, userId, attempt };
    const fields = {
      ...ids,
      ...(previousWorker === null ? {} : { previousWorker }),
      reason: REPEATS[reason],
    };
    this.#logger[reason === 'executor_lost' || reason === 'redelivered' ? 'warn' : 'info'](
      fields,
      'run begins another attempt',
    );
  }

  close(): void {
    this.#limit.close();
  }
}

const REPEATS: Readonly<Record<RepeatReason, string>> = {
  failed: 'the attempt before failed, and the flow allows another',
  given_back: 'the executor of the attempt before gave the run back',
  handed_off: 'the executor of the attempt before stopped and handed the run off',
  executor_lost: 'the executor of the attempt before crashed, hangs or cannot be reached',
  suspended: 'a person has answered its request, or the time of that is over',
  redelivered: 'the broker delivered the job again: its executor crashed, stopped or lost its connection',
};

function levelOf({ error, status, givenBackBy }: FailedRun): 'error' | 'info' | 'warn' {
  if (givenBackBy !== undefined) return givenBackBy === 'shutdown' ? 'info' : 'warn';
  if (error !== undefined) return 'error';
  return status === 'cancelled' ? 'info' : 'warn';
}

function requestField(requestId: string | null | undefined): object {
  return requestId ? { requestId: truncated(requestId, MAXIMUM_NAME_LENGTH) } : {};
}

function fieldsOf({ failure, requestId, ...run }: FailedRun): object {
  const { runId, flowId, userId, attempt, status, retryInMilliseconds, givenBackBy, error } = run;
  return {
    ...requestField(requestId),
    runId,
    flowId,
    userId,
    attempt,
    status,
    code: failure?.code ?? null,
    reason: failure === null ? null : truncated(failure.message, MAXIMUM_REASON_LENGTH),
    vertex: vertexOf(failure),
    ...(retryInMilliseconds === undefined ? {} : { retryInMilliseconds }),
    ...(givenBackBy === undefined ? {} : { givenBackBy }),
    ...(error === undefined ? {} : { error }),
  };
}

function eventOf({ status, failure, retryInMilliseconds, givenBackBy }: FailedRun): string {
  if (givenBackBy !== undefined) return 'run attempt given back; another one follows';
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
