import { BusUnavailableError } from './message-bus-errors';

/**
 * The promise's own outcome, or BusUnavailableError when it has none within the time. A late outcome is ignored; what
 * the promise stands for is not stopped.
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
