import { FlowStore, RunStore } from '../index';
import type { FlowRecord, NewRun } from '../index';
import type { TestDatabase } from '../testing/open-test-database';
import { completion, makeFlow, messageRow, newRun } from '../testing/test-parts';

/** Contract for the pruning of old records, on any database. */
export function describePrunedRecords(name: string, open: () => TestDatabase): void {
  describe(`old records (${name})`, () => {
    const store = () => new RunStore({ database: open().database });
    const flows = () => new FlowStore({ database: open().database });
    const accepted = async (flow: FlowRecord, days: number, changes: Partial<NewRun> = {}) => {
      const run = newRun(flow, changes);
      await store().accept([run]);
      await open().database.query({
        text: `UPDATE runs SET accepted_at = now() - $2 * interval '1 day' WHERE id = $1`,
        values: [run.id, days],
      });
      return run;
    };
    const ended = async (flow: FlowRecord, days: number, changes: Partial<NewRun> = {}) => {
      const run = await accepted(flow, days, changes);
      await store().claim([{ runId: run.id, worker: 'one', redelivered: false }]);
      const messages = [messageRow(flow, { runId: run.id })];
      await store().complete([completion(run.id, 1, { messages })]);
      await open().database.query({
        text: `UPDATE runs SET finished_at = now() - $2 * interval '1 day' WHERE id = $1`,
        values: [run.id, days],
      });
      return run;
    };
    const isKept = async (run: NewRun) => (await store().find(run.userId, run.id)) !== null;
    const prune = async (limit = 500) => store().prune({ retentionDays: 7, limit });
    const versions = async (flow: FlowRecord) => {
      const found = await Promise.all([1, 2, 3].map((version) => flows().document(flow.id, version)));
      return [1, 2, 3].filter((_, index) => found[index] !== null);
    };

    test('deletes runs that ended before the retention time; keeps waiting runs, however old', async () => {
      const flow = await makeFlow(open().database);
      const [old, young] = [await ended(flow, 8), await ended(flow, 6)];
      const waiting = await accepted(flow, 30);
      expect((await prune()).runs).toBeGreaterThan(0);
      expect(await Promise.all([old, young, waiting].map(isKept))).toEqual([false, true, true]);
      const { rows } = await open().database.query({
        text: 'SELECT 1 FROM messages WHERE run_id = $1',
        values: [old.id],
      });
      expect(rows).toHaveLength(1);
    });

    test('deletes the oldest runs first, up to the limit', async () => {
      await prune();
      const flow = await makeFlow(open().database);
      const runs = [await ended(flow, 9), await ended(flow, 20), await ended(flow, 10)];
      expect((await prune(2)).runs).toBe(2);
      expect(await Promise.all(runs.map(isKept))).toEqual([true, false, false]);
    });

    test('a dedupe key identifies the same run for as long as the run is kept, then a new one', async () => {
      const flow = await makeFlow(open().database);
      const young = await ended(flow, 6.9, { dedupeKey: 'young' });
      const old = await ended(flow, 7.1, { dedupeKey: 'old' });
      await prune();
      for (const [run, isSame] of [
        [young, true],
        [old, false],
      ] as const) {
        const again = newRun(flow, { dedupeKey: run.dedupeKey ?? null });
        expect((await store().accept([again])).get(again.id) === run.id).toBe(isSame);
      }
    });

    test('keeps the current version of a flow and the versions that waiting runs were accepted for', async () => {
      const flow = await makeFlow(open().database);
      const change = (mark: number) =>
        flows().update(flow.userId, flow.id, { document: { nodes: [], edges: [], mark } });
      await change(2);
      await change(3);
      const waiting = await accepted(flow, 2);
      await prune();
      expect(await versions(flow)).toEqual([1, 2, 3]);
      await open().database.query({
        text: `UPDATE flow_versions SET created_at = now() - interval '2 days' WHERE flow_id = $1`,
        values: [flow.id],
      });
      await prune();
      expect(await versions(flow)).toEqual([1, 3]);
      await store().requestCancel(waiting.userId, waiting.id);
      await prune();
      expect(await versions(flow)).toEqual([3]);
    });
  });
}
