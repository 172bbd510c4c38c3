import type { NewRun } from '../../run-record/run-record';
import { RunStore } from '../run-store';
import type { SweptRun } from '../swept-run';
import type { RunEndedBySweep } from './sweep-runs';
import type { TestDatabase } from '../../testing/open-test-database';
import { completion, interactiveRun, makeFlow, newRun } from '../../testing/test-parts';

/** Contract of the sweeper, on any database. */
export function describeRunSweep(name: string, open: () => TestDatabase): void {
  describe(`sweep of runs (${name})`, () => {
    const store = () => new RunStore({ database: open().database });
    const ids = (swept: readonly SweptRun[]) => swept.map(({ id }) => id);
    /** Simulates the passage of time for the run. */
    const age = (id: string, seconds: number) =>
      open().database.query({
        text: `UPDATE runs SET accepted_at = accepted_at - $2 * interval '1 second',
          queued_at = queued_at - $2 * interval '1 second', lease_until = lease_until - $2 * interval '1 second',
          next_sweep_at = next_sweep_at - $2 * interval '1 second' WHERE id = $1`,
        values: [id, seconds],
      });
    const sweep = async (run: { readonly id: string }, limit = 500) =>
      (await store().sweep({ limit })).filter(({ id }) => id === run.id);
    const accepted = async (changes: Partial<NewRun> = {}) => {
      const run = newRun(await makeFlow(open().database), changes);
      await store().accept([run]);
      return run;
    };
    const status = async (run: NewRun) => (await store().find(run.userId, run.id))?.status;

    test('returns an accepted run after five seconds, then at growing intervals', async () => {
      const run = await accepted({ pool: 'gpu', traceparent: 'trace' });
      expect(await sweep(run)).toEqual([]);
      await age(run.id, 5.5);
      const { id, flowId, flowVersion, userId, lane, pool, traceparent } = { traceparent: null, ...run };
      const expected = {
        id,
        attempt: 0,
        flowId,
        flowVersion,
        userId,
        lane,
        pool,
        traceparent,
        queueSuspect: false,
      };
      expect(await sweep(run)).toEqual([expected]);
      expect(await status(run)).toBe('accepted');
      expect(await sweep(run)).toEqual([]);
      await age(run.id, 3);
      expect(await sweep(run)).toEqual([]);
      await age(run.id, 4);
      expect(await sweep(run)).toHaveLength(1);
      await age(run.id, 7);
      expect(await sweep(run)).toEqual([]);
      await age(run.id, 6);
      expect(await sweep(run)).toHaveLength(1);
    });

    test('queues and returns a run whose lease expired', async () => {
      const run = await accepted();
      await store().claim([{ runId: run.id, worker: 'one', redelivered: false }]);
      await age(run.id, 10);
      expect(await sweep(run)).toEqual([]);
      await store().heartbeat('one', [{ runId: run.id, attempt: 1 }]);
      await age(run.id, 14);
      expect(await sweep(run)).toEqual([]);
      expect(await status(run)).toBe('running');
      await age(run.id, 2);
      expect(await sweep(run)).toMatchObject([{ id: run.id, queueSuspect: false }]);
      expect(await status(run)).toBe('queued');
      expect(await store().complete([completion(run.id, 1)])).toEqual(new Set());
      const claims = await store().claim([{ runId: run.id, worker: 'two', redelivered: false }]);
      expect(claims.get(run.id)).toMatchObject({ outcome: 'claimed', attempt: 2 });
    });

    test('marks a run dead whose last lease expired, and does not return it', async () => {
      const ended: RunEndedBySweep[] = [];
      const run = await accepted({ maximumAttempts: 1, requestId: 'request-1' });
      await store().claim([{ runId: run.id, worker: 'one', redelivered: false }]);
      await age(run.id, 16);
      const swept = await store().sweep({ limit: 500, onEnded: (end) => ended.push(end) });
      expect(ids(swept)).not.toContain(run.id);
      expect(await store().find(run.userId, run.id)).toMatchObject({
        status: 'dead',
        failure: { code: 'attempts_exhausted' },
        finishedAt: expect.any(Date),
      });
      const { flowId, userId } = run;
      const end = { status: 'dead', attempt: 1, requestId: 'request-1' };
      expect(ended.filter(({ runId }) => runId === run.id)).toMatchObject([
        {
          flowId,
          userId,
          ...end,
          failure: { code: 'attempts_exhausted' },
          lost: { runId: run.id, attempt: 1 },
        },
      ]);
    });

    test('ends a run with a requested cancellation when its lease expires', async () => {
      const run = await accepted();
      await store().claim([{ runId: run.id, worker: 'one', redelivered: false }]);
      await store().requestCancel(run.userId, run.id);
      await age(run.id, 16);
      expect(await sweep(run)).toEqual([]);
      expect(await status(run)).toBe('cancelled');
    });

    test('a queued run is suspect after a minute, and again after another minute', async () => {
      const run = await accepted();
      await store().markQueued([{ runId: run.id, attempt: 0 }]);
      await age(run.id, 6);
      expect(await sweep(run)).toEqual([]);
      await age(run.id, 50);
      expect(await sweep(run)).toEqual([]);
      await age(run.id, 5);
      expect(await sweep(run)).toMatchObject([{ id: run.id, queueSuspect: true }]);
      await age(run.id, 40);
      expect(await sweep(run)).toEqual([]);
      await age(run.id, 40);
      expect(await sweep(run)).toMatchObject([{ id: run.id, queueSuspect: true }]);
    });

    test('never returns ended runs', async () => {
      const [done, cancelled] = [await accepted(), await accepted()];
      const recorded = interactiveRun(await makeFlow(open().database));
      await store().claim([{ runId: done.id, worker: 'one', redelivered: false }]);
      await store().complete([completion(done.id, 1)]);
      await store().requestCancel(cancelled.userId, cancelled.id);
      await store().record([recorded]);
      for (const run of [done, cancelled, recorded]) await age(run.id, 3600);
      const swept = ids(await store().sweep({ limit: 500 }));
      for (const run of [done, cancelled, recorded]) expect(swept).not.toContain(run.id);
    });

    test('an abandoned interactive run ends at its deadline and is never published', async () => {
      const run = interactiveRun(await makeFlow(open().database), { limitMilliseconds: 60_000 });
      await store().beginRedelivered({ ...run, worker: 'one' });
      await age(run.id, 20);
      expect(await sweep(run)).toEqual([]);
      expect(await status(run)).toBe('running');
      await age(run.id, 71);
      expect(await sweep(run)).toEqual([]);
      expect(await store().find(run.userId, run.id)).toMatchObject({
        status: 'timed_out',
        failure: { code: 'deadline_exceeded' },
      });
    });

    test('applies the limit, and returns lost runs before any number of suspect ones', async () => {
      // A slow test would otherwise meet runs of the tests before it when they are due again.
      await open().database.query({
        text: "UPDATE runs SET next_sweep_at = now() + interval '1 hour' WHERE next_sweep_at IS NOT NULL",
      });
      const flow = await makeFlow(open().database);
      const suspects = Array.from({ length: 40 }, () => newRun(flow));
      const lost = Array.from({ length: 15 }, () => newRun(flow));
      await store().accept([...suspects, ...lost]);
      await store().markQueued(suspects.map(({ id: runId }) => ({ runId, attempt: 0 })));
      for (const run of suspects) await age(run.id, 61);
      for (const run of lost) await age(run.id, 6);
      const certain = new Set(lost.map(({ id }) => id));
      const first = await store().sweep({ limit: 10 });
      expect(first).toHaveLength(10);
      expect(first.every(({ id }) => certain.has(id))).toBe(true);
      const second = await store().sweep({ limit: 10 });
      expect(second.filter(({ id }) => certain.has(id))).toHaveLength(5);
      // Otherwise they could be due again by now.
      await store().markQueued(lost.map(({ id: runId }) => ({ runId, attempt: 0 })));
      for (const run of suspects) await age(run.id, 61);
      const third = await store().sweep({ limit: 10 });
      expect(third).toHaveLength(10);
      expect(third.every(({ queueSuspect }) => queueSuspect)).toBe(true);
      expect(new Set(ids([...first, ...third])).size).toBe(20);
    });

    test('concurrent sweepers return each run once', async () => {
      const flow = await makeFlow(open().database);
      const runs = Array.from({ length: 30 }, () => newRun(flow));
      await store().accept(runs);
      for (const run of runs) await age(run.id, 6);
      const swept = await Promise.all(Array.from({ length: 5 }, () => store().sweep({ limit: 500 })));
      const seen = ids(swept.flat()).filter((id) => runs.some((run) => run.id === id));
      expect(seen).toHaveLength(30);
      expect(new Set(seen).size).toBe(30);
    });
  });
}
