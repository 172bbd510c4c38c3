import type { FlowRecord } from '../../flows/flow-record';
import { FlowStore } from '../../flows/flow-store';
import { ProjectStore } from '../../projects/project-store';
import { LimitStore } from '../../budgets/limit-store';
import type { NewRun } from '../../run-record/run-record';
import { RunStore } from '../run-store';
import type { ShareRunLimits } from './run-limits';
import type { TestDatabase } from '../../testing/open-test-database';
import { completion, makeFlow, newRun } from '../../testing/test-parts';

/** Contract for backlogs and their release, on any database. */
export function describeRunBacklog(name: string, open: () => TestDatabase): void {
  describe(`backlogs of runs (${name})`, () => {
    const store = () => new RunStore({ database: open().database });
    const admit = async (runs: readonly NewRun[], publishedPerUser = 2) => {
      const waiting: boolean[] = [];
      for (const run of runs)
        waiting.push((await store().admit([run], { publishedPerUser })).get(run.id)?.isInBacklog === true);
      return waiting;
    };
    const several = (flow: FlowRecord, count: number, changes: Partial<NewRun> = {}) =>
      Array.from({ length: count }, () => newRun(flow, changes));
    const limitedFlow = async (concurrency: number) => {
      const flow = await makeFlow(open().database);
      const flows = new FlowStore({ database: open().database });
      await flows.update(flow.userId, flow.id, { settings: { concurrency } });
      return flow;
    };
    /** Releases backlog runs and returns those of the flow's user. */
    const advance = async (flow: FlowRecord, publishedPerUser = 2, limit = 500) =>
      (await store().releaseBacklog({ publishedPerUser, limit })).runs.filter(
        ({ userId }) => userId === flow.userId,
      );
    const end = async (runId: string) => {
      await store().claim([{ runId, worker: 'one', redelivered: false }]);
      await store().complete([completion(runId, 1)]);
    };

    test('runs of a paused flow stay in the backlog until its pause ends, and those of other flows do not', async () => {
      const flow = await makeFlow(open().database);
      const flows = new FlowStore({ database: open().database });
      const other = await flows.create(flow.userId, { name: 'not paused', document: flow.document });
      expect(await flows.pause(flow.userId, flow.id, 'incident')).toBe(flow.name);
      const runs = several(flow, 2);
      expect(await admit(runs)).toEqual([true, true]);
      expect(await advance(flow)).toEqual([]);
      const [later] = several(other, 1);
      await admit([later!]);
      expect((await advance(flow)).map(({ id }) => id)).toEqual([later!.id]);
      await end(later!.id);
      await flows.pause(flow.userId, flow.id, null);
      expect((await advance(flow)).map(({ id }) => id)).toEqual(runs.map(({ id }) => id));
    });

    test.each(['user', 'project', 'flow'] as const)(
      'a %s runs no more background runs than its limit leaves beside its callers, whichever flow they are of',
      async (scope) => {
        const flow = await makeFlow(open().database);
        const flows = new FlowStore({ database: open().database });
        const { folderId } = (await flows.find(flow.userId, flow.id))!;
        const other = await flows.create(flow.userId, { name: 'other', document: flow.document });
        const ids = { user: flow.userId, project: folderId!, flow: flow.id };
        const limited = { scope, id: ids[scope], ownerId: flow.userId };
        await new LimitStore({ database: open().database }).replace(limited, { concurrentRuns: 3 });
        const runs = scope === 'flow' ? several(flow, 4) : [...several(flow, 2), ...several(other, 2)];
        expect(await admit(runs, 100)).toEqual([true, true, true, true]);
        const noted: number[] = [];
        const advanceBeside = async (callers: number) => {
          const share: ShareRunLimits = async (uses, phase) => {
            const [use] = uses.filter(({ id }) => id === ids[scope]);
            if (phase === 'note') noted.push(use!.used);
            expect(use).toMatchObject({ scope, userId: flow.userId, maximum: 3 });
            return uses.map(({ maximum, used }) => Math.max(0, maximum - callers - used));
          };
          const { runs: released } = await store().releaseBacklog({
            publishedPerUser: 100,
            limit: 500,
            share,
          });
          return released.filter(({ userId }) => userId === flow.userId).map(({ id }) => id);
        };
        const first = await advanceBeside(1);
        expect([first.length, noted.pop()]).toEqual([2, 2]);
        expect(await advanceBeside(0)).toHaveLength(1);
        expect([await advanceBeside(0), noted.pop()]).toEqual([[], 3]);
        await end(first[0]!);
        expect(await advanceBeside(0)).toHaveLength(1);
        await new LimitStore({ database: open().database }).replace(limited, {});
        expect(await admit(several(flow, 1), 100)).toEqual([false]);
      },
    );

    test('the backlog of a paused flow alone keeps no process busy', async () => {
      const flow = await makeFlow(open().database);
      const flows = new FlowStore({ database: open().database });
      await flows.pause(flow.userId, flow.id, 'incident');
      // Runs of earlier tests.
      await open().database.query({ text: `DELETE FROM runs WHERE next_sweep_at = 'infinity'` });
      await admit(several(flow, 2));
      const round = () => store().releaseBacklog({ publishedPerUser: 2, limit: 500 });
      expect((await round()).hasMore).toBe(false);
      await flows.pause(flow.userId, flow.id, null);
      expect((await round()).runs).toHaveLength(2);
    });

    test('runs beyond a user’s share join the backlog and are released as others end, the oldest first', async () => {
      const flow = await makeFlow(open().database);
      const runs = several(flow, 5);
      const [first, second, third, fourth, fifth] = runs.map(({ id }) => id);
      expect(await admit(runs)).toEqual([false, false, true, true, true]);
      expect(await store().countBacklog(flow.userId, 100)).toBe(3);
      expect(await store().countBacklog(flow.userId, 2)).toBe(2);
      expect(await advance(flow)).toEqual([]);
      await store().markQueued([{ runId: first ?? '', attempt: 0 }]);
      await end(second ?? '');
      expect((await advance(flow)).map(({ id }) => id)).toEqual([third]);
      expect(await advance(flow)).toEqual([]);
      await end(first ?? '');
      await end(third ?? '');
      expect((await advance(flow)).map(({ id }) => id)).toEqual([fourth, fifth]);
      expect(await store().countBacklog(flow.userId, 100)).toBe(0);
    });

    test('runs that wait are counted by user, project and flow until an executor begins them', async () => {
      const flow = await makeFlow(open().database);
      const flows = new FlowStore({ database: open().database });
      const sibling = await flows.create(flow.userId, { name: 'sibling', document: flow.document });
      const { folderId } = (await flows.find(flow.userId, flow.id))!;
      const runs = [...several(flow, 4), ...several(flow, 1, { pool: 'other' }), ...several(sibling, 2)];
      await admit(runs);
      await admit(several(flow, 1, { lane: 'interactive' }));
      const { userId } = flow;
      const counts = async (upTo = 100) =>
        Promise.all([
          store().countWaiting({ scope: 'user', id: userId, userId }, upTo),
          store().countWaiting({ scope: 'project', id: folderId!, userId }, upTo),
          store().countWaiting({ scope: 'flow', id: flow.id, userId }, upTo),
          store().countWaiting({ scope: 'flow', id: sibling.id, userId }, upTo),
        ]);
      expect(await counts()).toEqual([7, 7, 5, 2]);
      await store().claim([{ runId: runs[0]!.id, worker: 'one', redelivered: false }]);
      expect(await counts()).toEqual([6, 6, 4, 2]);
      await end(runs[1]!.id);
      await advance(flow);
      expect(await counts()).toEqual([5, 5, 3, 2]);
      expect((await counts(2))[0]).toBeGreaterThanOrEqual(2);
      expect((await counts(2))[0]).toBeLessThanOrEqual(4);
    });

    test('a run that has begun makes room for the next, so that no slot stays empty', async () => {
      const flow = await makeFlow(open().database);
      const runs = several(flow, 4);
      const [first, , third] = runs.map(({ id }) => id);
      expect(await admit(runs)).toEqual([false, false, true, true]);
      await store().claim([{ runId: first ?? '', worker: 'one', redelivered: false }]);
      expect((await advance(flow)).map(({ id }) => id)).toEqual([third]);
      expect(await advance(flow)).toEqual([]);
    });

    test('no run overtakes: while a backlog exists, new runs join its end', async () => {
      const flow = await makeFlow(open().database);
      const runs = several(flow, 3);
      await admit(runs);
      await end(runs[0]?.id ?? '');
      expect(await admit(several(flow, 1))).toEqual([true]);
      expect((await advance(flow)).map(({ id }) => id)).toEqual([runs[2]?.id]);
    });

    test('without a share limit, only runs of a flow with its own limit join the backlog', async () => {
      const flow = await limitedFlow(1);
      const free = await new FlowStore({ database: open().database }).create(flow.userId, {
        name: 'free',
        document: {},
      });
      expect(await admit(several(free, 5), 0)).toEqual([false, false, false, false, false]);
      const limited = several(flow, 2, { isLimited: true });
      expect(await admit(limited, 0)).toEqual([true, true]);
      expect(await admit(several(free, 1), 0)).toEqual([false]);
      expect((await advance(flow, 0)).map(({ id }) => id)).toEqual([limited[0]?.id]);
      expect(await advance(flow, 0)).toEqual([]);
      await end(limited[0]?.id ?? '');
      expect((await advance(flow, 0)).map(({ id }) => id)).toEqual([limited[1]?.id]);
    });

    test('the backlog of one user or pool does not delay others', async () => {
      const [crowded, other] = [await makeFlow(open().database), await makeFlow(open().database)];
      await admit(several(crowded, 4));
      expect(await admit(several(other, 1))).toEqual([false]);
      expect(await admit(several(crowded, 1, { pool: 'gpu' }))).toEqual([false]);
      expect(await admit(several(crowded, 1, { lane: 'interactive' }))).toEqual([false]);
    });

    test('releases backlog runs of users in turn', async () => {
      // Runs of earlier tests must not take their places.
      await store().releaseBacklog({ publishedPerUser: 1_000, limit: 1_000 });
      const [one, two] = [await limitedFlow(100), await limitedFlow(100)];
      await admit(several(one, 3, { isLimited: true }), 10);
      await admit(several(two, 3, { isLimited: true }), 10);
      const { runs, hasMore } = await store().releaseBacklog({ publishedPerUser: 10, limit: 4 });
      const users = runs.map(({ userId }) => userId);
      expect([one, two].map(({ userId }) => users.filter((user) => user === userId).length)).toEqual([2, 2]);
      expect(hasMore).toBe(true);
      await store().releaseBacklog({ publishedPerUser: 10, limit: 4 });
    });

    test('projects of a user take turns, each with as many runs as its weight', async () => {
      const flow = await makeFlow(open().database);
      const [flows, projects] = [
        new FlowStore({ database: open().database }),
        new ProjectStore({ database: open().database }),
      ];
      const project = await projects.create(flow.userId, { name: 'another' });
      const other = await flows.create(flow.userId, {
        name: 'of another project',
        document: flow.document,
        folderId: project.id,
      });
      const limited = { scope: 'project', id: project.id, ownerId: flow.userId } as const;
      await new LimitStore({ database: open().database }).replace(limited, { weight: 2 });
      const [flood, later] = [several(flow, 8), several(other, 3)];
      expect(await admit([...flood, ...later], 1)).toEqual([false, ...Array<boolean>(10).fill(true)]);
      const released = await advance(flow, 7);
      const projectsOf = (runs: readonly { readonly flowId: string }[]) =>
        runs.map(({ flowId }) => (flowId === other.id ? 'later' : 'flood'));
      // The first run of the flood has been published already.
      expect(projectsOf(released)).toEqual(['later', 'later', 'flood', 'later', 'flood', 'flood']);
      // Then each release has room for one run, which is of the project that has fewer runs for its weight.
      await admit(several(other, 3), 1);
      for (const { id } of released.slice(0, 3)) {
        await end(id);
        expect(projectsOf(await advance(flow, 7))).toEqual(['later']);
      }
    });

    test('a flow runs no more than its limit concurrently, and does not delay its owner’s other flows', async () => {
      const limited = await limitedFlow(1);
      const free = await new FlowStore({ database: open().database }).create(limited.userId, {
        name: 'free',
        document: { nodes: [], edges: [] },
      });
      const runs = several(limited, 3, { isLimited: true });
      expect(await admit(runs, 10)).toEqual([true, true, true]);
      const [other] = several(free, 1);
      await admit([other as NewRun], 10);
      const going = await advance(limited, 10);
      expect(going.map(({ id }) => id).sort()).toEqual([runs[0]?.id, other?.id].sort());
      expect(await advance(limited, 10)).toEqual([]);
      await end(runs[0]?.id ?? '');
      expect((await advance(limited, 10)).map(({ id }) => id)).toEqual([runs[1]?.id]);
    });

    test('concurrent calls release each run once', async () => {
      const flow = await limitedFlow(10);
      await admit(several(flow, 20, { isLimited: true }), 100);
      const answers = await Promise.all(Array.from({ length: 8 }, () => advance(flow, 100)));
      const ids = answers.flat().map(({ id }) => id);
      expect(ids).toHaveLength(10);
      expect(new Set(ids).size).toBe(10);
    });

    test('the sweeper returns a released run without a message; a backlog run is not swept and can be cancelled', async () => {
      const flow = await limitedFlow(1);
      const [going, waiting] = several(flow, 2, { isLimited: true }) as [NewRun, NewRun];
      await admit([going, waiting]);
      await advance(flow);
      await open().database.query({
        text: `UPDATE runs SET next_sweep_at = next_sweep_at - interval '6 seconds' WHERE user_id = $1`,
        values: [flow.userId],
      });
      const swept = (await store().sweep({ limit: 500 })).map(({ id }) => id);
      expect([going.id, waiting.id].map((id) => swept.includes(id))).toEqual([true, false]);
      expect(await store().requestCancel(flow.userId, waiting.id)).toMatchObject({ status: 'cancelled' });
      await end(going.id);
      expect(await advance(flow)).toEqual([]);
    });

    test('a repeated webhook delivery maps to its backlog run', async () => {
      const flow = await limitedFlow(1);
      const [run, again] = several(flow, 2, { isLimited: true, dedupeKey: 'same' }) as [NewRun, NewRun];
      await admit([run]);
      const acceptances = await store().admit([again], { publishedPerUser: 2 });
      expect(acceptances.get(again.id)).toEqual({ canonicalRunId: run.id, isInBacklog: true });
      await advance(flow);
    });
  });
}
