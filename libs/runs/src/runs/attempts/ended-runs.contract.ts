import type { FlowChanges } from '../../flows/flow-record';
import { FlowStore } from '../../flows/flow-store';
import type { NewRun, RunStatus } from '../../run-record/run-record';
import { RunStore } from '../run-store';
import type { TestDatabase } from '../../testing/open-test-database';
import { completion, makeFlow, makeUser, newRun } from '../../testing/test-parts';

/** Contract for operations on ended runs, on any database. */
export function describeEndedRuns(name: string, open: () => TestDatabase): void {
  describe(`ended runs (${name})`, () => {
    const store = () => new RunStore({ database: open().database });
    const ended = async (status: RunStatus, changes: Partial<NewRun> = {}) => {
      const run = newRun(await makeFlow(open().database), changes);
      await store().accept([run]);
      await store().claim([{ runId: run.id, worker: 'one', redelivered: false }]);
      await store().complete([completion(run.id, 1, { status: status as 'failed', result: null })]);
      return run;
    };
    const replayOf = async (run: NewRun) => (await store().replay(run.userId, [run.id])).get(run.id);

    test.each(['dead', 'failed', 'timed_out'] as const)(
      'a run that is %s is replayed as a new run',
      async (end) => {
        const run = await ended(end, { dedupeKey: 'delivery', lane: 'interactive' });
        await new FlowStore({ database: open().database }).update(run.userId, run.flowId, {
          document: { nodes: [], edges: [], fixed: true },
          settings: { pool: 'gpu' },
        });
        const id = (await replayOf(run)) ?? '';
        const { request, sessionId, flowId } = run;
        const expected = { status: 'accepted', lane: 'background', pool: 'gpu', flowVersion: 2, attempt: 0 };
        expect(await store().find(run.userId, id)).toMatchObject({
          ...expected,
          request,
          sessionId,
          flowId,
          replayOf: run.id,
        });
        expect(await store().find(run.userId, run.id)).toMatchObject({ status: end, replayOf: null });
        const { runs } = await store().releaseBacklog({ publishedPerUser: 10, limit: 500 });
        expect(runs.map((found) => found.id)).toContain(id);
        const [claim] = (await store().claim([{ runId: id, worker: 'two', redelivered: false }])).values();
        expect(claim).toMatchObject({ outcome: 'claimed', countedAttempts: 1, maximumAttempts: 3 });
        expect(await store().accept([{ ...run, id: newRun(await makeFlow(open().database)).id }])).toEqual(
          new Map([[expect.any(String), run.id]]),
        );
      },
    );

    test('a replay of a flow that needs Python goes to the pool with Python, unless the flow names another', async () => {
      const flows = new FlowStore({ database: open().database });
      const poolOf = async (changes: FlowChanges, pythonPool: string | null) => {
        const run = await ended('failed');
        await flows.update(run.userId, run.flowId, changes);
        const id = (await store().replay(run.userId, [run.id], { pythonPool })).get(run.id) ?? '';
        return (await store().find(run.userId, id))?.pool;
      };
      expect(await poolOf({ needsPython: true }, 'python')).toBe('python');
      expect(await poolOf({ needsPython: true }, null)).toBe('default');
      expect(await poolOf({ needsPython: false }, 'python')).toBe('default');
      expect(await poolOf({}, 'python')).toBe('default');
      expect(await poolOf({ needsPython: true, settings: { pool: 'gpu' } }, 'python')).toBe('gpu');
    });

    test('a replay of the same version runs the document of the old run, in its pool', async () => {
      const flows = new FlowStore({ database: open().database });
      const run = await ended('failed', { pool: 'old-pool' });
      const unknown = await ended('failed', { flowVersion: 7 });
      await flows.update(run.userId, run.flowId, {
        document: { nodes: [], edges: [], fixed: true },
        needsPython: true,
      });
      const options = { version: 'same', pythonPool: 'python' } as const;
      const id = (await store().replay(run.userId, [run.id], options)).get(run.id) ?? '';
      expect(await store().find(run.userId, id)).toMatchObject({
        flowVersion: 1,
        pool: 'old-pool',
        replayOf: run.id,
      });
      expect(await store().replay(unknown.userId, [unknown.id], options)).toEqual(new Map());
      // A run has one replay, whatever version a later request names.
      expect((await store().replay(run.userId, [run.id])).get(run.id)).toBe(id);
    });

    test('concurrent requests create one replay of a run, which can be replayed itself', async () => {
      const run = await ended('dead');
      const ids = await Promise.all(Array.from({ length: 20 }, () => replayOf(run)));
      expect(new Set(ids).size).toBe(1);
      const id = ids[0] ?? '';
      await store().claim([{ runId: id, worker: 'one', redelivered: false }]);
      await store().complete([completion(id, 1, { status: 'failed' })]);
      const again = await replayOf({ ...run, id });
      expect(again).not.toBe(id);
      expect(await store().find(run.userId, again ?? '')).toMatchObject({ replayOf: id });
    });

    test('does not replay runs that succeeded, are in progress or belong to another user', async () => {
      const [good, dead] = [await ended('succeeded'), await ended('dead')];
      const stranger = await makeUser(open().database);
      expect(await store().replay(good.userId, [good.id])).toEqual(new Map());
      expect(await store().replay(stranger.id, [dead.id])).toEqual(new Map());
      const replay = (await replayOf(dead)) ?? '';
      expect(await store().replay(dead.userId, [replay])).toEqual(new Map());
    });

    test('the owner can delete records of ended runs, one at a time or by status', async () => {
      const run = await ended('dead');
      const flow = { id: run.flowId, userId: run.userId, version: 1 } as Awaited<ReturnType<typeof makeFlow>>;
      const waiting = newRun(flow);
      await store().accept([waiting]);
      const stranger = await makeUser(open().database);
      expect(await store().deleteRecord(stranger.id, run.id)).toBe(false);
      expect(await store().deleteRecord(run.userId, waiting.id)).toBe(false);
      expect(await store().deleteRecord(run.userId, run.id)).toBe(true);
      expect(await store().find(run.userId, run.id)).toBeNull();

      const more = Array.from({ length: 3 }, () => newRun(flow));
      await store().accept(more);
      await store().claim(more.map(({ id }) => ({ runId: id, worker: 'one', redelivered: false })));
      const status = 'dead' as const;
      await store().complete(more.map(({ id }) => completion(id, 1, { status })));
      const forgetAll = (userId: string, limit: number) => store().deleteRecords(userId, { status, limit });
      expect(await forgetAll(stranger.id, 10)).toBe(0);
      expect(await forgetAll(run.userId, 2)).toBe(2);
      expect(await forgetAll(run.userId, 10)).toBe(1);
      expect(await store().find(run.userId, waiting.id)).toMatchObject({ status: 'accepted' });
    });
  });
}
