import { ComponentError } from '@millrace/flow';

/** Threads are the whole process's: more of them than processors only cost memory. */
const mostThreads = 3;
const mostWaiting = 1_000;

const waiting: (() => void)[] = [];
let taken = 0;

/**
 * Waits until a thread may be started, first come, first served, and gives what says that it has ended. Throws the
 * signal's reason, and a ComponentError when too many wait already.
 */
export async function takePlace(signal: AbortSignal): Promise<() => void> {
  signal.throwIfAborted();
  if (taken >= mostThreads) {
    if (waiting.length >= mostWaiting) throw new ComponentError('Too many documents are waiting to be read.');
    await turn(signal);
  } else taken += 1;
  return leave;
}

/** The place itself is passed on, so that nobody who comes later takes it. */
function leave(): void {
  const next = waiting.shift();
  if (next === undefined) taken -= 1;
  else next();
}

function turn(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const give = (): void => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    };
    const giveUp = (): void => {
      waiting.splice(waiting.indexOf(give), 1);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    waiting.push(give);
  });
}
