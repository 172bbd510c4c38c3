import type { FlowRecord } from '../../flows/flow-record';
import { FlowStore } from '../../flows/flow-store';
import type { NewRun } from '../../run-record/run-record';
import { RunStore } from '../run-store';
import type { TestDatabase } from '../../testing/open-test-database';
import { completion, makeFlow, messageRow, newRun } from '../../testing/test-parts';

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
    /** Prunes runs up to the limit, and all flow versions. */
    const prune = async (limit = 500, keptFlowVersions = 1) => {
      const limits = { keptFlowVersions, limit, versionLimit: limit };
      const first = await store().prune({ ...limits, retentionDays: 7 });
      for (let { nextVersion } = first; nextVersion !== null;)
        ({ nextVersion } = await store().prune({
          ...limits,
          retentionDays: 10_000,
          afterVersion: nextVersion,
        }));
      return first;
    };
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

    const withVersions = async () => {
      const flow = await makeFlow(open().database);
      for (const mark of [2, 3])
        await flows().update(flow.userId, flow.id, { document: { nodes: [], edges: [], mark } });
      return flow;
    };
    const makeOld = (flow: FlowRecord, column: 'created_at' | 'used_at') =>
      open().database.query({
        text: `UPDATE flow_versions SET ${column} = now() - interval '2 days' WHERE flow_id = $1`,
        values: [flow.id],
      });

    test('keeps the versions of a flow that runs refer to, for as long as the runs are kept', async () => {
      const flow = await withVersions();
      const run = await ended(flow, 6);
      await prune();
      expect(await versions(flow)).toEqual([1, 2, 3]);
      await makeOld(flow, 'created_at');
      await prune();
      expect(await versions(flow)).toEqual([1, 3]);
      await store().deleteRecord(run.userId, run.id);
      await prune(2);
      expect(await versions(flow)).toEqual([3]);
    });

    test('keeps the newest versions of a flow, whether runs refer to them or not', async () => {
      const flow = await withVersions();
      await makeOld(flow, 'created_at');
      await prune(500, 3);
      expect(await versions(flow)).toEqual([1, 2, 3]);
      await prune(500, 2);
      expect(await versions(flow)).toEqual([2, 3]);
    });

    test('keeps a version in which a suspended run of another flow waits, until that run has ended', async () => {
      const flow = await withVersions();
      await makeOld(flow, 'created_at');
      const run = await accepted(await makeFlow(open().database), 1);
      const claim = { runId: run.id, worker: 'one', redelivered: false };
      await store().claim([claim]);
      const request = {
        request_id: 'a',
        kind: 'node_input',
        prompt: '',
        options: [],
        allowed_decisions: ['ok'],
        timeout_seconds: 0,
        fallback_action: null,
      } as const;
      const innerVersions = [{ flowId: flow.id, version: 1 }];
      const attempt = { runId: run.id, attempt: 1, results: '{}', innerVersions };
      await store().suspend({ ...attempt, requests: [request], messages: [] });
      await prune();
      expect(await versions(flow)).toEqual([1, 3]);
      const decisions = new Map([['a', { action_id: 'ok', values: {} }]]);
      const answer = { userId: run.userId, runId: run.id, decisions, decidedBy: null };
      expect(await store().within(open().database).decide(answer)).toBe(true);
      await store().claim([claim]);
      await prune();
      expect(await versions(flow)).toEqual([1, 3]);
      await store().complete([completion(run.id, 2)]);
      await store().forgetSuspensions(run.id);
      await prune();
      expect(await versions(flow)).toEqual([3]);
    });

    test('keeps a version for a day after a replay began to use it', async () => {
      const flow = await withVersions();
      const run = await accepted(flow, 1);
      await store().claim([{ runId: run.id, worker: 'one', redelivered: false }]);
      const failure = { code: 'component_failed', message: 'it failed', vertex: null, problems: [] };
      await store().complete([completion(run.id, 1, { status: 'failed', result: null, failure })]);
      await makeOld(flow, 'created_at');
      const [replay = ''] = (await store().replay(run.userId, [run.id], { version: 'same' })).values();
      await store().deleteRecord(run.userId, run.id);
      await store().requestCancel(run.userId, replay);
      await store().deleteRecord(run.userId, replay);
      await prune();
      expect(await versions(flow)).toEqual([1, 3]);
      await makeOld(flow, 'used_at');
      await prune();
      expect(await versions(flow)).toEqual([3]);
    });
  });
}
