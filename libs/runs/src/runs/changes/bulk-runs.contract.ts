import { until } from '@millrace/service/testing';
import type { FlowRecord } from '../../flows/flow-record';
import type { RunStatus } from '../../run-record/run-record';
import { RunStore } from '../run-store';
import type { RunFilter, RunPosition } from '../search/run-filter';
import type { BulkAction } from './bulk-runs';
import type { TestDatabase } from '../../testing/open-test-database';
import { completion, makeFlow, newRun } from '../../testing/test-parts';

const failure = { code: 'component_failed', message: 'it failed', vertex: null, problems: [] };
const cancel: BulkAction = { kind: 'cancel' };
const replay: BulkAction = { kind: 'replay', version: 'current' };

/** Contract for actions on the runs of a filter, on any database. */
export function describeBulkRuns(name: string, open: () => TestDatabase): void {
  describe(`actions on many runs (${name})`, () => {
    const store = () => new RunStore({ database: open().database });
    const waiting = async (flow: FlowRecord, count: number) => {
      const runs = Array.from({ length: count }, () => newRun(flow));
      await store().accept(runs);
      return runs.map(({ id }) => id);
    };
    const ended = async (flow: FlowRecord, status: RunStatus, count: number) => {
      const ids = await waiting(flow, count);
      await store().claim(ids.map((runId) => ({ runId, worker: 'one', redelivered: false })));
      await store().complete(
        ids.map((id) => completion(id, 1, { status: status as 'failed', result: null, failure })),
      );
      return ids;
    };
    /** Applies an action in batches, until none is left. */
    const applyAll = async (action: BulkAction, filter: RunFilter, limit: number) => {
      const { asOfMicroseconds } = await store().countBulk({ action, filter }, 100);
      const reached: string[] = [];
      let after: RunPosition | undefined;
      do {
        const { runs, next } = await store().applyBulk(
          { action, filter, asOfMicroseconds },
          { limit, after },
        );
        expect(runs.length).toBeLessThanOrEqual(limit);
        reached.push(...runs.map(({ id }) => id));
        after = next ?? undefined;
      } while (after !== undefined);
      return reached;
    };
    const statuses = async (userId: string, ids: readonly string[]) =>
      Promise.all(ids.map(async (id) => (await store().find(userId, id))?.status));

    test('cancels the waiting and running runs of a filter in batches, and no others', async () => {
      const [flow, other] = [await makeFlow(open().database), await makeFlow(open().database)];
      const filter = { userId: flow.userId, flowId: flow.id };
      const failed = await ended(flow, 'failed', 1);
      const ids = await waiting(flow, 5);
      const foreign = await waiting(other, 1);
      await store().claim([{ runId: ids[0] ?? '', worker: 'one', redelivered: false }]);
      expect(await store().countBulk({ action: cancel, filter }, 100)).toMatchObject({
        count: 5,
        isComplete: true,
      });
      expect(await store().countBulk({ action: cancel, filter }, 4)).toMatchObject({
        count: 4,
        isComplete: false,
      });
      expect((await applyAll(cancel, filter, 2)).toSorted()).toEqual(ids.toSorted());
      const cancelled = ids.slice(1).map(() => 'cancelled');
      expect(await statuses(flow.userId, ids)).toEqual(['running', ...cancelled]);
      expect(await statuses(flow.userId, failed)).toEqual(['failed']);
      expect(await statuses(other.userId, foreign)).toEqual(['accepted']);
      const { cancelRequested } = await store().heartbeat('one', [{ runId: ids[0] ?? '', attempt: 1 }]);
      expect([...cancelRequested]).toEqual([ids[0]]);
      expect(await store().countBulk({ action: cancel, filter }, 100)).toMatchObject({ count: 0 });
    });

    test('replays the failed runs of a filter once, the oldest first', async () => {
      const flow = await makeFlow(open().database);
      const filter = { userId: flow.userId, errorCode: 'component_failed' };
      const ids = [...(await ended(flow, 'failed', 3)), ...(await ended(flow, 'dead', 2))];
      await ended(flow, 'succeeded', 1);
      await store().replay(flow.userId, [ids[1] ?? '']);
      expect(await store().countBulk({ action: replay, filter }, 100)).toMatchObject({ count: 4 });
      const reached = await applyAll(replay, filter, 3);
      expect(reached.toSorted()).toEqual([ids[0], ...ids.slice(2)].toSorted());
      expect(await applyAll(replay, filter, 3)).toEqual([]);
      const { runs } = await store().list({ userId: flow.userId, statuses: ['accepted'] }, { limit: 10 });
      expect(new Set(runs.map(({ replayOf }) => replayOf))).toEqual(new Set(ids));
    });

    test('leaves out runs that match only since they were counted', async () => {
      const flow = await makeFlow(open().database);
      const filter = { userId: flow.userId };
      const before = await ended(flow, 'failed', 1);
      const { asOfMicroseconds } = await store().countBulk({ action: replay, filter }, 100);
      await until(
        async () =>
          (await store().countBulk({ action: replay, filter }, 1)).asOfMicroseconds > asOfMicroseconds,
      );
      const [later = ''] = await ended(flow, 'failed', 1);
      const [waits = ''] = await waiting(flow, 1);
      const replayed = await store().applyBulk({ action: replay, filter, asOfMicroseconds }, { limit: 10 });
      expect(replayed.runs.map(({ id }) => id)).toEqual(before);
      const cancelled = await store().applyBulk({ action: cancel, filter, asOfMicroseconds }, { limit: 10 });
      expect(cancelled.runs.map(({ id }) => id)).not.toContain(waits);
      expect(await statuses(flow.userId, [later, waits])).toEqual(['failed', 'accepted']);
    });

    test('reaches the runs of all users when the filter names none', async () => {
      const [first, second] = [await makeFlow(open().database), await makeFlow(open().database)];
      const rare = { ...failure, code: 'output_too_large' };
      const ids: string[] = [];
      for (const flow of [first, second]) {
        const [id = ''] = await waiting(flow, 1);
        await store().claim([{ runId: id, worker: 'one', redelivered: false }]);
        await store().complete([completion(id, 1, { status: 'failed', result: null, failure: rare })]);
        ids.push(id);
      }
      const filter = { userId: null, errorCode: 'output_too_large' };
      const { asOfMicroseconds } = await store().countBulk({ action: replay, filter }, 100);
      const { runs } = await store().applyBulk({ action: replay, filter, asOfMicroseconds }, { limit: 10 });
      expect(runs).toEqual([
        {
          id: ids[0],
          userId: first.userId,
          flowId: first.id,
          isRunning: false,
          replayedAs: expect.any(String),
        },
        {
          id: ids[1],
          userId: second.userId,
          flowId: second.id,
          isRunning: false,
          replayedAs: expect.any(String),
        },
      ]);
    });
  });
}
