import type { Queryable } from '@millrace/database';
import { RunStore } from '../index';
import { openOnServer } from '../testing/open-test-database';
import type { TestDatabase } from '../testing/open-test-database';
import { completion, interactiveRun, makeFlow, newRun } from '../testing/test-parts';

// On a server: the embedded database has one connection, so that nothing waits for a lock there.
let open: TestDatabase;
let store: RunStore;
beforeAll(async () => {
  open = await openOnServer();
  store = new RunStore({ database: open.database });
}, 120_000);
afterAll(() => open.close());

const WORKER = 'worker';
const lock = (connection: Queryable, id: string) =>
  connection.query({ text: 'SELECT FROM runs WHERE id = $1 FOR UPDATE', values: [id] });
const columnOf = async (id: string, column: string) => {
  const text = `SELECT (${column})::text AS value FROM runs WHERE id = $1`;
  const { rows } = await open.database.query<{ value: string | null }>({ text, values: [id] });
  return rows[0]?.value ?? null;
};

test('a heartbeat renews the leases of other runs while the row of one is locked, and that one is still held', async () => {
  const [locked, other] = [
    newRun(await makeFlow(open.database)),
    newRun(await makeFlow(open.database)),
  ] as const;
  await store.accept([locked, other]);
  await store.claim([locked, other].map(({ id: runId }) => ({ runId, worker: WORKER, redelivered: false })));
  await open.database.query({ text: `UPDATE runs SET lease_until = now() - interval '1 minute'` });
  await open.database.transaction(async (connection) => {
    await lock(connection, locked.id);
    const runs = [locked, other].map(({ id: runId }) => ({ runId, attempt: 1 }));
    expect((await store.heartbeat(WORKER, runs)).held).toEqual(new Set([locked.id, other.id]));
    expect(await columnOf(other.id, 'lease_until > now()')).toBe('true');
    expect(await columnOf(locked.id, 'lease_until > now()')).toBe('false');
  });
  await store.heartbeat(WORKER, [{ runId: locked.id, attempt: 1 }]);
  expect(await columnOf(locked.id, 'lease_until > now()')).toBe('true');
});

test('a heartbeat does not wait for the row of a run that its worker has lost', async () => {
  const run = newRun(await makeFlow(open.database));
  await store.accept([run]);
  const claim = (worker: string) => store.claim([{ runId: run.id, worker, redelivered: true }]);
  await claim(WORKER);
  await claim('another worker');
  const beat = () => store.heartbeat(WORKER, [{ runId: run.id, attempt: 1 }]);
  await open.database.transaction(async (connection) => {
    await lock(connection, run.id);
    expect((await beat()).held).toEqual(new Set());
  });
  expect(await columnOf(run.id, 'free_attempts')).toBe('0');
  await beat();
  expect(await columnOf(run.id, 'free_attempts')).toBe('1');
});

test('the backlog of other users is released while a run of one is locked', async () => {
  const limits = { publishedPerUser: 1, limit: 100 };
  const [first, second] = [await makeFlow(open.database), await makeFlow(open.database)] as const;
  const [locked, other] = [newRun(first, { isLimited: true }), newRun(second, { isLimited: true })] as const;
  await store.admit([locked, other], limits);
  await open.database.transaction(async (connection) => {
    await lock(connection, locked.id);
    expect((await store.releaseBacklog(limits)).runs.map(({ id }) => id)).toEqual([other.id]);
  });
  expect((await store.releaseBacklog(limits)).runs.map(({ id }) => id)).toEqual([locked.id]);
});

test('old runs of other users are deleted while one is locked', async () => {
  const [locked, other] = [
    newRun(await makeFlow(open.database)),
    newRun(await makeFlow(open.database)),
  ] as const;
  await store.accept([locked, other]);
  const ids = [locked.id, other.id];
  await open.database.query({
    text: `UPDATE runs SET accepted_at = now() - interval '9 days', finished_at = now() - interval '9 days',
      status = 'succeeded', next_sweep_at = NULL WHERE id = ANY($1::uuid[])`,
    values: [ids],
  });
  await open.database.transaction(async (connection) => {
    await lock(connection, locked.id);
    await store.prune({ retentionDays: 7, keptFlowVersions: 20, limit: 100, versionLimit: 100 });
    expect(await Promise.all(ids.map((id) => columnOf(id, 'status')))).toEqual(['succeeded', null]);
  });
});

const twoRuns = async () =>
  [newRun(await makeFlow(open.database)), newRun(await makeFlow(open.database))] as const;
const claimsOf = (runs: readonly { readonly id: string }[], again = false) =>
  runs.map(({ id: runId }) => ({ runId, worker: WORKER, redelivered: false, again }));

test('the other runs of a batch are claimed while the row of one is locked, and that one after it', async () => {
  const [locked, other] = await twoRuns();
  await store.accept([locked, other]);
  await open.database.transaction(async (connection) => {
    await lock(connection, locked.id);
    for (const again of [false, true]) {
      const claims = await store.claim(claimsOf([locked, other], again));
      expect([locked, other].map(({ id }) => claims.get(id)?.outcome)).toEqual(['locked', 'claimed']);
    }
  });
  expect((await store.claim(claimsOf([locked], true))).get(locked.id)).toMatchObject({ attempt: 1 });
});

test('a locked run without an attempt left ends the others of its batch, and itself after the lock', async () => {
  const runs = await twoRuns();
  const [locked, other] = runs;
  await store.accept(runs.map((run) => ({ ...run, maximumAttempts: 1 })));
  await store.claim(claimsOf(runs));
  await open.database.query({ text: `UPDATE runs SET lease_until = now() - interval '1 minute'` });
  await open.database.transaction(async (connection) => {
    await lock(connection, locked.id);
    const claims = await store.claim(claimsOf(runs));
    expect(runs.map(({ id }) => claims.get(id)?.outcome)).toEqual(['locked', 'exhausted']);
  });
  expect((await store.claim(claimsOf([locked]))).get(locked.id)?.outcome).toBe('exhausted');
  expect(await columnOf(other.id, 'status')).toBe('dead');
});

test('the ends of other runs of a batch are stored while the row of one is locked, and that one after it', async () => {
  const runs = await twoRuns();
  const [locked, other] = runs;
  await store.accept(runs);
  await store.claim(claimsOf(runs));
  const ends = runs.map(({ id }) => completion(id, 1));
  const passed: string[] = [];
  const onLocked = (id: string) => void passed.push(id);
  await open.database.transaction(async (connection) => {
    await lock(connection, locked.id);
    expect(await store.complete(ends, { onLocked })).toEqual(new Set([other.id]));
    expect(await store.complete(ends, { onLocked, afterUnknownOutcome: true })).toEqual(new Set([other.id]));
  });
  expect(passed).toEqual([locked.id, locked.id]);
  expect(await store.complete(ends, { onLocked })).toEqual(new Set([locked.id]));
});

test('interactive runs are recorded while the row of a restarted one is locked', async () => {
  const restarted = interactiveRun(await makeFlow(open.database), { attempt: 2 });
  const other = interactiveRun(await makeFlow(open.database));
  await store.beginRedelivered(restarted);
  const passed: string[] = [];
  await open.database.transaction(async (connection) => {
    await lock(connection, restarted.id);
    const stored = await store.record([restarted, other], { onLocked: (id) => passed.push(id) });
    expect([stored, passed]).toEqual([new Set([other.id]), [restarted.id]]);
  });
  expect(await store.record([restarted])).toEqual(new Set([restarted.id]));
});
