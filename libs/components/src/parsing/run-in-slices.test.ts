import { runInSlices } from './run-in-slices';
import type { InterruptibleWork } from './run-in-slices';

const never = new AbortController().signal;

/** Works for about this many milliseconds, in steps of a tenth of a millisecond. */
function* working(milliseconds: number): InterruptibleWork<string> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    const step = performance.now() + 0.1;
    while (performance.now() < step);
    yield;
  }
  return 'done';
}

test('short work is done at once', () => {
  expect(runInSlices(working(0), never)).toBe('done');
});

test('long work yields to the event loop', async () => {
  let turns = 0;
  const count = (): void => {
    turns += 1;
    if (turns < 3) setImmediate(count);
  };
  setImmediate(count);
  function* untilThreeTurns(): InterruptibleWork<string> {
    while (turns < 3) yield;
    return 'done';
  }
  expect(await runInSlices(untilThreeTurns(), never)).toBe('done');
});

test('sliced work ends with the signal and with its own errors', async () => {
  const abort = new AbortController();
  const work = runInSlices(working(60_000), abort.signal);
  abort.abort(new Error('over'));
  await expect(work).rejects.toThrow('over');
  function* failing(): InterruptibleWork<never> {
    yield* working(30);
    throw new Error('no good');
  }
  // A slice can last longer than the work on a busy machine; the error is then thrown at once.
  const failed = async () => runInSlices(failing(), never);
  await expect(failed()).rejects.toThrow('no good');
});
