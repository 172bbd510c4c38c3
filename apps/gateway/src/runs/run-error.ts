import type { FlowReference } from '@millrace/runs';

export type RunErrorCode =
  | 'broker_unavailable'
  | 'cancelled'
  | 'deadline_exceeded'
  | 'events_lost'
  | 'flow_paused'
  | 'idempotency_conflict'
  | 'no_executor'
  | 'not_found'
  | 'shutting_down'
  | 'too_many_callers'
  | 'too_many_runs'
  | 'too_many_waiting';

export interface RunErrorOptions {
  /** After how many seconds the same request can succeed; null when no time is known. */
  readonly retryAfterSeconds?: number | null;
}

/** A run that cannot be started, or whose result does not reach its caller. The message is for the caller. */
export class RunError extends Error {
  readonly code: RunErrorCode;
  readonly retryAfterSeconds: number | null;

  constructor(code: RunErrorCode, message: string, { retryAfterSeconds = null }: RunErrorOptions = {}) {
    super(message);
    this.name = 'RunError';
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export function brokerUnavailable(): RunError {
  return new RunError('broker_unavailable', 'The message broker is not available.', { retryAfterSeconds: 1 });
}

/** The pool of a run, and whether its flow needs Python. */
export type RunPool = Pick<FlowReference, 'pool' | 'needsPython'>;

export function noExecutor({ pool, needsPython }: RunPool): RunError {
  const message = needsPython
    ? `The flow needs Python, and no executor of the pool "${pool}" is running.`
    : `No executor of the pool "${pool}" is running.`;
  return new RunError('no_executor', message, { retryAfterSeconds: 2 });
}
