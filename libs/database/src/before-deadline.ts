import { DatabaseUnavailableError } from './database';

/** Rejects with DatabaseUnavailableError when the promise is not settled in time. The promise itself is not stopped. */
export function beforeDeadline<T>(promise: Promise<T>, milliseconds: number, what: string): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new DatabaseUnavailableError(`${what} did not finish within ${milliseconds} ms`));
    }, milliseconds);
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}
