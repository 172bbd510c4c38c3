import { ThreadSemaphore } from './thread-semaphore';

const never = new AbortController().signal;

/** Returns work that ends on request. */
function controlledWork(): {
  readonly work: () => Promise<void>;
  readonly begun: () => boolean;
  readonly end: () => void;
} {
  let isBegun = false;
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const work = (): Promise<void> => {
    isBegun = true;
    return ended;
  };
  return { work, begun: () => isBegun, end: () => end() };
}

test('limits concurrent work, first come, first served', async () => {
  const semaphore = new ThreadSemaphore(2, 'documents');
  const all = [controlledWork(), controlledWork(), controlledWork(), controlledWork()];
  const begun = (): readonly boolean[] => all.map((one) => one.begun());
  const uses = all.map(({ work }) => semaphore.use(work, never));
  expect(begun()).toEqual([true, true, false, false]);
  all[1]?.end();
  await uses[1];
  expect(begun()).toEqual([true, true, true, false]);
  for (const { end } of all) end();
  await Promise.all(uses);
});

test('failed and cancelled work releases its slot', async () => {
  const semaphore = new ThreadSemaphore(1, 'documents');
  await expect(semaphore.use(() => Promise.reject(new Error('no good')), never)).rejects.toThrow('no good');
  const first = controlledWork();
  const using = semaphore.use(first.work, never);
  const abort = new AbortController();
  const cancelled = semaphore.use(controlledWork().work, abort.signal);
  abort.abort(new Error('too late'));
  await expect(cancelled).rejects.toThrow('too late');
  first.end();
  await using;
  expect(await semaphore.use(async () => 'mine', never)).toBe('mine');
});

test('a caller above the bound of 1,000 waiting ones gets an error that names the work', async () => {
  const semaphore = new ThreadSemaphore(1, 'SQLite statements');
  const first = controlledWork();
  const abort = new AbortController();
  const uses = [semaphore.use(first.work, never)];
  for (let count = 0; count < 1_000; count += 1)
    uses.push(semaphore.use(async () => undefined, abort.signal));
  await expect(semaphore.use(async () => undefined, never)).rejects.toThrow(
    'Too many SQLite statements wait for a thread.',
  );
  abort.abort(new Error('too late'));
  first.end();
  expect((await Promise.allSettled(uses)).filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});
