/** The work did not end in time. It may still be running. */
export class TimeoutError extends Error {
  readonly code = 'timed_out';

  constructor(message: string) {
    super(message);
    this.name = 'TimeoutError';
  }
}

/**
 * Settles as `promise` does, or rejects with TimeoutError after this time. Does not stop the work, and handles its late
 * rejection.
 */
export function withDeadline<T>(promise: Promise<T>, milliseconds: number, message: string): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimeoutError(message)), milliseconds);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
