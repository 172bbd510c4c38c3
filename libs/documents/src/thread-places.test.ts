import { ThreadPlaces } from './thread-places';

const never = new AbortController().signal;

/** Work that ends when it is told to. */
function held(): {
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

test('no more work goes on than there are places, first come, first served', async () => {
  const places = new ThreadPlaces(2);
  const all = [held(), held(), held(), held()];
  const begun = (): readonly boolean[] => all.map((one) => one.begun());
  const uses = all.map(({ work }) => places.use(work, never));
  expect(begun()).toEqual([true, true, false, false]);
  all[1]?.end();
  await uses[1];
  expect(begun()).toEqual([true, true, true, false]);
  for (const { end } of all) end();
  await Promise.all(uses);
});

test('work that fails gives its place back, and so does who waits no more', async () => {
  const places = new ThreadPlaces(1);
  await expect(places.use(() => Promise.reject(new Error('no good')), never)).rejects.toThrow('no good');
  const first = held();
  const using = places.use(first.work, never);
  const patience = new AbortController();
  const impatient = places.use(held().work, patience.signal);
  patience.abort(new Error('too late'));
  await expect(impatient).rejects.toThrow('too late');
  first.end();
  await using;
  expect(await places.use(async () => 'mine', never)).toBe('mine');
});
