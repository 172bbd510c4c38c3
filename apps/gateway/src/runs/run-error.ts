export type RunErrorCode =
  | 'broker_unavailable'
  | 'cancelled'
  | 'deadline_exceeded'
  | 'events_lost'
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

export function noExecutor(pool: string): RunError {
  const message = `No executor of the pool "${pool}" is running.`;
  return new RunError('no_executor', message, { retryAfterSeconds: 2 });
}
