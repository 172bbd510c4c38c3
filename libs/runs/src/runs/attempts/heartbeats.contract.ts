import type { Database, Statement } from '@millrace/database';
import { RunStore } from '../../index';
import type { TestDatabase } from '../../testing/open-test-database';
import { makeFlow, newRun } from '../../testing/test-parts';

/** Contract for heartbeats, on any database. */
export function describeHeartbeats(name: string, open: () => TestDatabase): void {
  describe(`heartbeats (${name})`, () => {
    test('a worker does not extend the lease of another', async () => {
      const { database } = open();
      const store = new RunStore({ database });
      const run = newRun(await makeFlow(database));
      await store.accept([run]);
      await store.claim([{ runId: run.id, worker: 'one', redelivered: false }]);
      const leaseOf = async () =>
        (await database.query({ text: 'SELECT lease_until FROM runs WHERE id = $1', values: [run.id] })).rows;
      const before = await leaseOf();
      const attempts = [{ runId: run.id, attempt: 1 }];
      expect((await store.heartbeat('two', attempts)).held).toEqual(new Set());
      expect(await leaseOf()).toEqual(before);
      expect((await store.heartbeat('one', attempts)).held).toEqual(new Set([run.id]));
      expect(await leaseOf()).not.toEqual(before);
    });

    test('a worker learns which runs it has lost although their attempts cannot be uncounted', async () => {
      const { database } = open();
      const store = new RunStore({ database });
      const flow = await makeFlow(database);
      const runs = [newRun(flow), newRun(flow), newRun(flow)];
      const [held, cancelled, lost] = runs.map(({ id }) => id);
      await store.accept(runs);
      await store.claim(runs.map(({ id }) => ({ runId: id, worker: 'one', redelivered: false })));
      await store.claim([{ runId: lost!, worker: 'two', redelivered: true }]);
      await store.requestCancel(flow.userId, cancelled!);
      const failure = new Error('no free attempts');
      const query = async <Row>(statement: Statement) => {
        if (statement.name === 'runs-discount') throw failure;
        return database.query<Row>(statement);
      };
      const failing = new RunStore({
        database: Object.assign(Object.create(database) as Database, { query }),
      });
      const attempts = runs.map(({ id }) => ({ runId: id, attempt: 1 }));
      expect(await failing.heartbeat('one', attempts)).toEqual({
        held: new Set([held, cancelled]),
        cancelRequested: new Set([cancelled]),
        uncountFailure: failure,
      });
    });
  });
}
