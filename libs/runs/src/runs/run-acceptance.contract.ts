import { randomBytes } from 'node:crypto';
import { isRowError } from '../is-row-error';
import { RunStore } from './run-store';
import type { TestDatabase } from '../testing/open-test-database';
import { makeFlow, newRun } from '../testing/test-parts';

/** Contract for accepting runs, on any database. */
export function describeRunAcceptance(name: string, open: () => TestDatabase): void {
  describe(`acceptance of runs (${name})`, () => {
    const store = () => new RunStore({ database: open().database });

    test('S2: equal dedupe keys make one run: in a batch, across batches, and concurrently', async () => {
      const flow = await makeFlow(open().database);
      const twin = () => newRun(flow, { dedupeKey: 'delivery-1' });
      const [first, second, other] = [twin(), twin(), newRun(flow)];
      const holders = await store().accept([first, second, other]);
      expect(holders.get(first.id)).toBe(holders.get(second.id));
      expect(holders.get(other.id)).toBe(other.id);
      const later = twin();
      expect((await store().accept([later])).get(later.id)).toBe(holders.get(first.id));

      const keys = Array.from({ length: 30 }, (_, index) => `key-${index}`);
      const batches = Array.from({ length: 6 }, (_, index) => {
        const order = index % 2 ? keys : [...keys].reverse();
        return order.map((dedupeKey) => newRun(flow, { dedupeKey }));
      });
      const answers = await Promise.all(batches.map((batch) => store().accept(batch)));
      for (const key of keys) {
        const ids = batches.map((batch, index) =>
          answers[index]!.get(batch.find((run) => run.dedupeKey === key)!.id),
        );
        expect(new Set(ids).size).toBe(1);
      }
    });

    test('a dedupe key belongs to its flow and can be long', async () => {
      const [one, two] = [await makeFlow(open().database), await makeFlow(open().database)];
      // Random, because an index entry is compressed.
      const dedupeKey = `é\u0000${randomBytes(10_000).toString('base64')}`;
      const runs = [
        newRun(one, { dedupeKey }),
        newRun(two, { dedupeKey }),
        newRun(one, { dedupeKey: `${dedupeKey}x` }),
      ];
      expect(await store().accept(runs)).toEqual(new Map(runs.map(({ id }) => [id, id])));
      const again = newRun(one, { dedupeKey });
      expect((await store().accept([again])).get(again.id)).toBe(runs[0]!.id);
    });

    test('distinguishes a malformed row from an unavailable database', async () => {
      const run = newRun(await makeFlow(open().database));
      const refusal = await store()
        .accept([{ ...run, id: 'no id' }])
        .catch((error: unknown) => error);
      expect(isRowError(refusal)).toBe(true);
      expect(isRowError(new Error('away'))).toBe(false);
    });

    test('accepting the same id again, such as after a lost answer, changes nothing', async () => {
      const run = newRun(await makeFlow(open().database));
      await store().accept([run]);
      await store().claim([{ runId: run.id, worker: 'one', redelivered: false }]);
      expect(await store().accept([run])).toEqual(new Map([[run.id, run.id]]));
      expect(await store().find(run.userId, run.id)).toMatchObject({ status: 'running', attempt: 1 });
    });
  });
}
