import { inSlices } from './in-slices';
import type { Sliceable } from './in-slices';

const never = new AbortController().signal;

/** Works for about so many milliseconds, a tenth of one at a time. */
function* working(milliseconds: number): Sliceable<string> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    const step = performance.now() + 0.1;
    while (performance.now() < step);
    yield;
  }
  return 'done';
}

test('little work is done at once', () => {
  expect(inSlices(working(0), never)).toBe('done');
});

test('much work lets others have their turn', async () => {
  let turns = 0;
  const count = (): void => {
    turns += 1;
    if (turns < 3) setImmediate(count);
  };
  setImmediate(count);
  function* untilOthersHadTheirs(): Sliceable<string> {
    while (turns < 3) yield;
    return 'done';
  }
  expect(await inSlices(untilOthersHadTheirs(), never)).toBe('done');
});

test('work in slices ends with the signal, and with its own errors', async () => {
  const abort = new AbortController();
  const work = inSlices(working(60_000), abort.signal);
  abort.abort(new Error('over'));
  await expect(work).rejects.toThrow('over');
  function* failing(): Sliceable<never> {
    yield* working(30);
    throw new Error('no good');
  }
  await expect(inSlices(failing(), never)).rejects.toThrow('no good');
});
