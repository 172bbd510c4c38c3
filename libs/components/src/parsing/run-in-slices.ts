import { setImmediate as nextTurn } from 'node:timers/promises';

/** The longest time that work blocks the event loop. */
const sliceMilliseconds = 10;

/** Work that can be interrupted where it yields. */
export type InterruptibleWork<Result> = Generator<void, Result>;

/**
 * Runs short work at once and long work in slices, so that a large text does not block the event loop. Rejects with the
 * signal's reason when it fires between two slices.
 */
export function runInSlices<Result>(
  work: InterruptibleWork<Result>,
  signal: AbortSignal,
): Result | Promise<Result> {
  const first = runSlice(work);
  return first.done === true ? first.value : runRemaining(work, signal);
}

async function runRemaining<Result>(work: InterruptibleWork<Result>, signal: AbortSignal): Promise<Result> {
  for (;;) {
    await nextTurn();
    signal.throwIfAborted();
    const next = runSlice(work);
    if (next.done === true) return next.value;
  }
}

function runSlice<Result>(work: InterruptibleWork<Result>): IteratorResult<void, Result> {
  const end = performance.now() + sliceMilliseconds;
  let step = work.next();
  while (step.done !== true && performance.now() < end) step = work.next();
  return step;
}
