/** The work did not end in time. It may still be going on. */
export class TimeoutError extends Error {
  readonly code = 'timed_out';

  constructor(message: string) {
    super(message);
    this.name = 'TimeoutError';
  }
}

/**
 * Settles as `promise` does, or rejects with TimeoutError after this many milliseconds. Does not stop the work
 * itself, and no late rejection of it goes unhandled.
 */
export function withDeadline<T>(promise: Promise<T>, milliseconds: number, message: string): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimeoutError(message)), milliseconds);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
