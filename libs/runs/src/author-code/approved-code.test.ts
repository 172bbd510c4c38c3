import { ApprovedCode } from '../index';
import type { AuthorCodeStatus } from '../index';
import type { ApprovedCodeOptions } from './approved-code';

const known: Readonly<Record<string, AuthorCodeStatus>> = { yes: 'approved', no: 'refused', new: 'waiting' };
const all = ['yes', 'no', 'new', 'unseen'];

/** A store with changing statuses that counts its queries. */
function storeOf(statuses: Record<string, AuthorCodeStatus> = { ...known }) {
  const queries: (readonly string[])[] = [];
  const read = (hashes: readonly string[]) =>
    new Map(hashes.flatMap((hash) => (statuses[hash] === undefined ? [] : [[hash, statuses[hash]]])));
  return {
    queries,
    decide: (hash: string, status: AuthorCodeStatus) => void (statuses[hash] = status),
    statuses: async (hashes: readonly string[]) => {
      queries.push(hashes);
      return read(hashes);
    },
  };
}

test.each<[Omit<ApprovedCodeOptions, 'store'>, string[]]>([
  [{ mode: 'off' }, all],
  [{ mode: 'approved' }, ['no', 'new', 'unseen']],
  [{ mode: 'all' }, ['no']],
])('with %j these texts cannot run: %j', async (rule, missing) => {
  const code = new ApprovedCode({ store: storeOf(), ...rule });
  expect(await code.missing([...all, ...all])).toEqual(missing);
  for (const hash of all) expect(await code.isApproved(hash)).toBe(!missing.includes(hash));
});

test('one query for all texts, and none for those that are cached or being looked up', async () => {
  const store = storeOf();
  const code = new ApprovedCode({ store, mode: 'approved' });
  await Promise.all([code.missing(['yes', 'new']), code.isApproved('yes'), code.missing(['new', 'no'])]);
  await code.missing(['yes', 'no', 'new']);
  expect(store.queries).toEqual([['yes', 'new'], ['no']]);
});

test('a decision takes effect at once when the text is forgotten', async () => {
  const store = storeOf();
  const code = new ApprovedCode({ store, mode: 'approved' });
  expect(await code.isApproved('yes')).toBe(true);
  store.decide('yes', 'refused');
  expect(await code.isApproved('yes')).toBe(true);
  code.forget('yes');
  expect(await code.isApproved('yes')).toBe(false);
});

test('a decision during a query is not hidden by the result of the query', async () => {
  let answer: (statuses: ReadonlyMap<string, AuthorCodeStatus>) => void = () => undefined;
  const code = new ApprovedCode({
    store: { statuses: () => new Promise((resolve) => (answer = resolve)) },
    mode: 'approved',
  });
  const before = code.isApproved('yes');
  code.forget('yes');
  answer(new Map([['yes', 'approved']]));
  expect(await before).toBe(true);
  const after = code.isApproved('yes');
  answer(new Map([['yes', 'refused']]));
  expect(await after).toBe(false);
});

test('a failed query approves nothing, and the next call asks again', async () => {
  let fails = true;
  const code = new ApprovedCode({
    store: {
      statuses: async () => {
        if (fails) throw new Error('the database is unavailable');
        return new Map([['yes', 'approved' as const]]);
      },
    },
    mode: 'approved',
  });
  await expect(code.isApproved('yes')).rejects.toThrow('unavailable');
  fails = false;
  expect(await code.isApproved('yes')).toBe(true);
});

test('a status is valid for less than five seconds', async () => {
  let now = 0;
  const store = storeOf();
  const code = new ApprovedCode({ store, mode: 'approved', now: () => now });
  await code.missing(['yes', 'new']);
  store.decide('yes', 'refused');
  store.decide('new', 'approved');
  now = 2_900;
  expect(await code.missing(['yes', 'new'])).toEqual(['new']);
  now = 4_900;
  expect(await code.missing(['yes', 'new'])).toEqual(['yes']);
});
