import { BusUnavailableError } from './message-bus-errors';

/**
 * Settles with the promise's outcome, or rejects with BusUnavailableError when it has none in time. A late outcome is
 * ignored, and the underlying work is not stopped.
 */
export async function settleWithin<T>(promise: Promise<T>, milliseconds: number, action: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expiry = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new BusUnavailableError(`${action}: no answer within ${milliseconds} ms`)),
      milliseconds,
    );
  });
  try {
    return await Promise.race([promise, expiry]);
  } finally {
    clearTimeout(timer);
  }
}
