import { RequestSeal } from '../../encryption/request-seal';
import type { FlowRecord } from '../../flows/flow-record';
import type { InteractiveRun } from '../attempts/run-completion';
import { RunStore } from '../run-store';
import { readLiveRuns, readRunSummaries } from './live-runs';
import { readLastRuns, readRunHistory } from './run-history';
import type { TestDatabase } from '../../testing/open-test-database';
import { interactiveRun, makeFlow, newRun } from '../../testing/test-parts';

const MINUTE = 60_000;
const failure = { code: 'component_failed', message: 'it failed', vertex: null, problems: [] };

/** Contract for the counts of runs over time, and for what shows changes of runs, on any database. */
export function describeRunHistory(name: string, open: () => TestDatabase): void {
  describe(`history of runs (${name})`, () => {
    const store = () => new RunStore({ database: open().database });
    const record = async (flow: FlowRecord, changes: Partial<InteractiveRun> = {}) => {
      const run = interactiveRun(flow, changes);
      await store().record([run]);
      return run.id;
    };
    const history = (query: { userId: string | null; flowId?: string }, intervals = 4) =>
      readRunHistory(open().database, { ...query, intervals, intervalSeconds: 60 });

    test('counts runs of each flow by minute and state, without those of others and older ones', async () => {
      const { database } = open();
      const flow = await makeFlow(database);
      const other = await makeFlow(database);
      const acceptedAt = new Date(Date.now() - MINUTE);
      const span = (milliseconds: number) => ({
        acceptedAt,
        startedAt: acceptedAt,
        finishedAt: new Date(acceptedAt.getTime() + milliseconds),
      });
      await record(flow, span(100));
      await record(flow, span(300));
      await record(flow, { ...span(200), status: 'failed', result: null, failure });
      await record(flow, { ...span(200), status: 'timed_out', result: null, failure });
      await record(flow, { acceptedAt: new Date(Date.now() - 10 * MINUTE) });
      await record(other, span(1));
      await store().accept([newRun(flow)]);
      const groups = await history({ userId: flow.userId });
      expect(new Set(groups.map(({ flowId }) => flowId))).toEqual(new Set([flow.id]));
      const sum = (member: 'total' | 'failed' | 'timedOut' | 'accepted' | 'running' | 'dead' | 'cancelled') =>
        groups.reduce((total, group) => total + group[member], 0);
      expect([sum('total'), sum('failed'), sum('timedOut'), sum('accepted')]).toEqual([5, 1, 1, 1]);
      expect([sum('dead'), sum('cancelled'), sum('running')]).toEqual([0, 0, 0]);
      expect(groups.flatMap(({ durations }) => durations).sort()).toEqual([100, 200, 200, 300]);
      for (const { start } of groups) expect(start % 60).toBe(0);
      expect(await history({ userId: flow.userId, flowId: other.id })).toEqual([]);
      expect((await history({ userId: null, flowId: other.id })).map(({ total }) => total)).toEqual([1]);
      const [last] = await readLastRuns(database, other.userId);
      expect(last).toMatchObject({ flowId: other.id, status: 'succeeded' });
    });

    test('the newest runs and those that have not ended are found, and read by their ids', async () => {
      const { database } = open();
      const flow = await makeFlow(database);
      const id = await record(flow);
      const waiting = newRun(flow);
      await store().accept([waiting]);
      const marks = await readLiveRuns(database, { newest: 10, unfinished: 1_000 });
      expect(marks.newest).toContainEqual({
        id,
        status: 'succeeded',
        attempt: expect.any(Number),
        isNewest: true,
      });
      expect(marks.unfinished.map((mark) => mark.id)).toContain(waiting.id);
      expect(marks.unfinished.map((mark) => mark.id)).not.toContain(id);
      const parts = { database, seal: new RequestSeal({ encryption: null }) };
      const runs = await readRunSummaries(parts, [waiting.id, id, flow.id]);
      expect(new Set(runs.map((run) => run.id))).toEqual(new Set([waiting.id, id]));
    });
  });
}
