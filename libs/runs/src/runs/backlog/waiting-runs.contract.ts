import { FlowStore } from '../../flows/flow-store';
import type { FlowRecord } from '../../flows/flow-record';
import type { NewRun } from '../../run-record/run-record';
import type { TestDatabase } from '../../testing/open-test-database';
import { completion, makeFlow, newRun } from '../../testing/test-parts';
import { triggerParts } from '../../testing/trigger-parts';
import { RunStore } from '../run-store';
import { readWaitingFacts } from './waiting-runs';

/** Contract for what runs wait for, on any database. */
export function describeWaitingRuns(name: string, open: () => TestDatabase): void {
  describe(`what runs wait for (${name})`, () => {
    const store = () => new RunStore({ database: open().database });
    const { make, eventOf, events } = triggerParts(open);
    const claim = (runId: string) => store().claim([{ runId, worker: 'one', redelivered: false }]);
    const facts = (ids: readonly string[], userId: string | null = null) =>
      readWaitingFacts(open().database, { ids, userId, publishedPerUser: 2 });
    const factsOf = async ({ id }: { readonly id: string }) => (await facts([id]))[0];
    const admit = async (runs: readonly NewRun[]) => {
      for (const run of runs) await store().admit([run], { publishedPerUser: 2 });
    };
    const several = (flow: FlowRecord, count: number, changes: Partial<NewRun> = {}) =>
      Array.from({ length: count }, () => newRun(flow, changes));
    const flowWith = async (settings: object) => {
      const flow = await makeFlow(open().database);
      await new FlowStore({ database: open().database }).update(flow.userId, flow.id, { settings });
      return flow;
    };
    const nothing = {
      place: null,
      pauseReason: null,
      flowLimit: null,
      triggerLimit: null,
      userShare: null,
      pause: null,
      question: null,
      callback: null,
    };

    test('a run that its message has not reached says when it is published again', async () => {
      const flow = await makeFlow(open().database);
      const [run] = several(flow, 1) as [NewRun];
      await admit([run]);
      const expected = { id: run.id, status: 'accepted', pool: 'default', isInBacklog: false };
      expect(await factsOf(run)).toEqual({ ...nothing, ...expected, nextSweepAt: expect.any(Date) as Date });
      await claim(run.id);
      await store().complete([completion(run.id, 1)]);
      expect(await factsOf(run)).toEqual({ ...nothing, ...expected, status: 'succeeded', nextSweepAt: null });
    });

    test('runs beyond a user’s share have their place among those of their flow', async () => {
      const flow = await makeFlow(open().database);
      const runs = several(flow, 4);
      await admit(runs);
      const found = new Map((await facts(runs.map(({ id }) => id))).map((each) => [each.id, each]));
      const [first, , third, fourth] = runs.map(({ id }) => found.get(id));
      expect(first).toMatchObject({ isInBacklog: false, place: null, userShare: null });
      expect(third).toMatchObject({
        isInBacklog: true,
        place: 1,
        userShare: 2,
        flowLimit: null,
        nextSweepAt: null,
      });
      expect(fourth).toMatchObject({ isInBacklog: true, place: 2, userShare: 2 });
    });

    test('runs of a flow with a limit, or of a paused one, name it', async () => {
      const flow = await flowWith({ concurrency: 1 });
      const runs = several(flow, 3, { isLimited: true });
      await admit(runs);
      expect(await factsOf(runs[1]!)).toMatchObject({ isInBacklog: true, place: 2, flowLimit: null });
      const { runs: released } = await store().releaseBacklog({ publishedPerUser: 2, limit: 500 });
      expect(released.map(({ id }) => id)).toContain(runs[0]?.id);
      expect(await factsOf(runs[2]!)).toMatchObject({
        isInBacklog: true,
        place: 2,
        flowLimit: 1,
        userShare: null,
      });
      await new FlowStore({ database: open().database }).pause(flow.userId, flow.id, 'incident 7');
      expect(await factsOf(runs[2]!)).toMatchObject({ pauseReason: 'incident 7' });
    });

    test('events beyond the limit of their trigger name it', async () => {
      const flow = await makeFlow(open().database);
      const trigger = await make(flow, { concurrencyLimit: 1 });
      const given = [eventOf(flow, trigger), eventOf(flow, trigger)];
      await events().accept(given, { publishedPerUser: 2 });
      expect(await factsOf(given[1]!.run)).toMatchObject({ isInBacklog: true, place: 1, triggerLimit: 1 });
    });

    test('a run between two attempts says which one follows, of how many, and why', async () => {
      const flow = await makeFlow(open().database);
      const retry = { attempts: 4 };
      const [failing, lost] = [newRun(flow, { retry }), newRun(flow, { retry })];
      await store().accept([failing, lost]);
      await claim(failing.id);
      const failure = { code: 'component_failed', message: 'no', vertex: null, problems: [] } as const;
      await store().retry({ runId: failing.id, attempt: 1, failure, pauseMilliseconds: 60_000 });
      expect(await factsOf(failing)).toMatchObject({ pause: { cause: 'failed', attempt: 2, attempts: 4 } });
      for (let times = 0; times < 2; times += 1) {
        await claim(lost.id);
        await open().database.query({
          text: `UPDATE runs SET lease_until = now() - interval '1 second', next_sweep_at = now() WHERE id = $1`,
          values: [lost.id],
        });
        await store().sweep({ limit: 10_000 });
      }
      expect(await factsOf(lost)).toMatchObject({
        pause: { cause: 'executor_lost', attempt: 3, attempts: 3 },
      });
    });

    test('a suspended run has the end of its question, and an ended one the callback that is due', async () => {
      const flow = await flowWith({ callbacks: [{ url: 'https://a.test', secrets: ['A'] }] });
      const [asking, ended] = several(flow, 2) as [NewRun, NewRun];
      await store().accept([asking, ended]);
      await claim(asking.id);
      await claim(ended.id);
      const request = {
        request_id: 'HumanInput-h:1',
        kind: 'node_input',
        prompt: '?',
        options: [],
        allowed_decisions: ['yes'],
        timeout_seconds: 60,
        fallback_action: null,
      } as const;
      await store().suspend({
        runId: asking.id,
        attempt: 1,
        results: '{}',
        requests: [request],
        messages: [],
      });
      await store().complete([completion(ended.id, 1)]);
      expect(await factsOf(asking)).toMatchObject({ question: { dueAt: expect.any(Date) as Date } });
      expect(await factsOf(ended)).toMatchObject({
        callback: { dueAt: expect.any(Date) as Date, attempts: 0 },
      });
    });

    test('runs of other users are left out', async () => {
      const [one, other] = [await makeFlow(open().database), await makeFlow(open().database)];
      const runs = [newRun(one), newRun(other)];
      await store().accept(runs);
      const ids = runs.map(({ id }) => id);
      expect((await facts(ids, one.userId)).map(({ id }) => id)).toEqual([ids[0]]);
      expect(await facts(ids)).toHaveLength(2);
      expect(await facts([])).toEqual([]);
    });
  });
}
