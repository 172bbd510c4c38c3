import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long a text is worked on before everybody else in the process has had a turn. */
const sliceMilliseconds = 10;

/** Work that can be left off wherever it yields. */
export type Sliceable<Result> = Generator<void, Result>;

/**
 * Does the work at once when it is little, and else in slices, so that a large text holds nobody up. Rejects with the
 * signal's reason when it fires between two slices.
 */
export function inSlices<Result>(work: Sliceable<Result>, signal: AbortSignal): Result | Promise<Result> {
  const first = slice(work);
  return first.done === true ? first.value : theRest(work, signal);
}

async function theRest<Result>(work: Sliceable<Result>, signal: AbortSignal): Promise<Result> {
  for (;;) {
    await nextTurn();
    signal.throwIfAborted();
    const next = slice(work);
    if (next.done === true) return next.value;
  }
}

function slice<Result>(work: Sliceable<Result>): IteratorResult<void, Result> {
  const end = performance.now() + sliceMilliseconds;
  let step = work.next();
  while (step.done !== true && performance.now() < end) step = work.next();
  return step;
}
