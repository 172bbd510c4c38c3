import type { NewRun } from '../../run-record/run-record';
import { RunStore } from '../run-store';
import type { Claim, ClaimRequest } from './claim';
import type { LostAttempt } from './failed-run-log';
import { readRunAttempts } from './run-attempts';
import type { TestDatabase } from '../../testing/open-test-database';
import { completion, makeFlow, newRun } from '../../testing/test-parts';

/** Contract for the wait before an attempt of a run whose executors were lost, on any database. */
export function describeCrashBackoff(name: string, open: () => TestDatabase): void {
  describe(`wait after lost executors (${name})`, () => {
    const store = () => new RunStore({ database: open().database });
    const set = (id: string, assignment: string) =>
      open().database.query({ text: `UPDATE runs SET ${assignment} WHERE id = $1`, values: [id] });
    const claim = async (runId: string, worker: string, changes: Partial<ClaimRequest> = {}) =>
      (await store().claim([{ runId, worker, redelivered: true, ...changes }])).get(runId)!;
    const accepted = async (changes: Partial<NewRun> = {}) => {
      const run = newRun(await makeFlow(open().database), { maximumAttempts: 9, ...changes });
      await store().accept([run]);
      return run;
    };
    /** Milliseconds from the end of the lost attempt to the next sweep of its run, both of one statement. */
    const storedWait = async (id: string) => {
      const { rows } = await open().database.query<{ wait: number }>({
        text: `SELECT extract(epoch FROM next_sweep_at - ended_at)::float8 * 1000 AS wait
          FROM runs JOIN run_attempts ON run_id = id AND run_attempts.attempt = runs.attempt WHERE id = $1`,
        values: [id],
      });
      return rows[0]?.wait ?? Number.NaN;
    };
    const outcomes = async ({ id, userId }: NewRun) => {
      const record = await store().find(userId, id);
      const attempts = record === null ? [] : await readRunAttempts(open().database, record);
      return attempts.map(({ worker, outcome }) => [worker, outcome]);
    };
    const sweep = async ({ id }: NewRun) => {
      const lost: LostAttempt[] = [];
      const published = await store().sweep({ limit: 500, onLost: (attempt) => lost.push(attempt) });
      return {
        lost: lost.filter(({ runId }) => runId === id),
        isPublished: published.some((run) => run.id === id),
      };
    };
    const postponed = (answer: Claim) => {
      if (answer.outcome !== 'postponed') throw new Error(`the claim is ${answer.outcome}`);
      return answer.lost.retryInMilliseconds ?? Number.NaN;
    };

    test('the first lost attempt is repeated at once, the next one after a wait, and the sweeper publishes the run', async () => {
      const run = await accepted({ requestId: 'request-1' });
      await claim(run.id, 'one');
      expect(await claim(run.id, 'two')).toMatchObject({ outcome: 'claimed', attempt: 2 });
      const answer = await claim(run.id, 'three');
      const { id: runId, flowId, userId } = run;
      expect(answer).toMatchObject({
        outcome: 'postponed',
        lost: { runId, flowId, userId, lane: 'background', pool: 'default', attempt: 2, worker: 'two' },
      });
      expect(answer).toMatchObject({ lost: { requestId: 'request-1' } });
      expect(await store().find(userId, runId)).toMatchObject({
        status: 'accepted',
        attempt: 2,
        worker: null,
        finishedAt: null,
      });
      expect(await outcomes(run)).toEqual([
        ['one', 'executor_lost'],
        ['two', 'executor_lost'],
      ]);
      expect((await sweep(run)).isPublished).toBe(false);
      await set(run.id, `next_sweep_at = now() - interval '1 second'`);
      expect(await sweep(run)).toEqual({ lost: [], isPublished: true });
      await store().markQueued([{ runId: run.id, attempt: 2 }]);
      expect(await claim(run.id, 'three')).toMatchObject({
        outcome: 'claimed',
        attempt: 3,
        countedAttempts: 3,
        repeatReason: 'executor_lost',
        previousWorker: null,
      });
      expect(await store().complete([completion(run.id, 3)])).toEqual(new Set([run.id]));
    });

    test('the wait doubles from ten seconds to five minutes, of which up to half is left out', async () => {
      const run = await accepted({ maximumAttempts: 12 });
      await claim(run.id, 'one');
      const longest = [10, 20, 40, 80, 160, 300, 300].map((seconds) => seconds * 1_000);
      const shares: number[] = [];
      for (const milliseconds of longest) {
        await set(run.id, 'next_sweep_at = now()');
        await claim(run.id, 'next');
        const announced = postponed(await claim(run.id, 'other'));
        expect(announced).toBe(Math.ceil(await storedWait(run.id)));
        shares.push(announced / milliseconds);
      }
      expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.5);
      expect(Math.max(...shares)).toBeLessThanOrEqual(1);
      expect(new Set(shares).size).toBeGreaterThan(1);
    });

    test('the sweeper makes a run wait whose lease expires again', async () => {
      const run = await accepted();
      const expire = () =>
        set(run.id, `lease_until = now() - interval '1 second', next_sweep_at = now() - interval '1 second'`);
      await claim(run.id, 'one');
      await expire();
      const first = await sweep(run);
      expect(first).toMatchObject({
        isPublished: true,
        lost: [{ worker: 'one', retryInMilliseconds: null }],
      });
      await claim(run.id, 'two');
      await expire();
      const second = await sweep(run);
      expect(second).toMatchObject({ isPublished: false, lost: [{ attempt: 2, worker: 'two' }] });
      const milliseconds = second.lost[0]?.retryInMilliseconds;
      expect(milliseconds).toBeGreaterThanOrEqual(5_000);
      expect(milliseconds).toBeLessThanOrEqual(10_000);
      expect(await store().find(run.userId, run.id)).toMatchObject({ status: 'accepted', worker: null });
      expect(await outcomes(run)).toEqual([
        ['one', 'executor_lost'],
        ['two', 'executor_lost'],
      ]);
    });

    test('a last attempt of its own process that is lost with its executor is repeated, three times at most', async () => {
      const isolating = new RunStore({ database: open().database, isolatesLastAttempts: true });
      const claimNext = async (runId: string, worker: string) =>
        (await isolating.claim([{ runId, worker, redelivered: true }])).get(runId);
      const run = await accepted({ maximumAttempts: 3 });
      const isDue = () => set(run.id, 'next_sweep_at = now()');
      await claimNext(run.id, 'one');
      expect(await claimNext(run.id, 'two')).toMatchObject({ outcome: 'claimed', countedAttempts: 2 });
      expect(await claimNext(run.id, 'three')).toMatchObject({ outcome: 'postponed' });
      await isDue();
      expect(await claimNext(run.id, 'three')).toMatchObject({ attempt: 3, countedAttempts: 3 });
      expect(await claimNext(run.id, 'four')).toMatchObject({ outcome: 'postponed' });
      await isDue();
      expect(await claimNext(run.id, 'four')).toMatchObject({ attempt: 4, countedAttempts: 3 });
      const expired = `lease_until = now() - interval '1 second', next_sweep_at = now() - interval '1 second'`;
      await set(run.id, expired);
      await isolating.sweep({ limit: 500 });
      expect(await store().find(run.userId, run.id)).toMatchObject({ status: 'accepted', attempt: 4 });
      await isDue();
      expect(await claimNext(run.id, 'five')).toMatchObject({ attempt: 5, countedAttempts: 3 });
      await set(run.id, 'attempt = 6, free_attempts = 3');
      expect(await claimNext(run.id, 'six')).toMatchObject({ outcome: 'exhausted' });
      const twice = await accepted({ maximumAttempts: 2 });
      await claimNext(twice.id, 'one');
      await claimNext(twice.id, 'two');
      expect(await claimNext(twice.id, 'three')).toMatchObject({ outcome: 'exhausted' });
    });

    test('attempts that were handed off, given back or retried do not lead to a wait', async () => {
      const run = await accepted();
      const failure = { code: 'component_failed', message: 'no', vertex: null, problems: [] };
      await claim(run.id, 'one');
      await claim(run.id, 'two', { leftBy: 'one' });
      await store().release([{ runId: run.id, attempt: 2 }]);
      await claim(run.id, 'three');
      await store().retry({ runId: run.id, attempt: 3, failure, pauseMilliseconds: 0 });
      await claim(run.id, 'four');
      expect(await claim(run.id, 'five')).toMatchObject({ outcome: 'claimed', attempt: 5 });
      expect(await claim(run.id, 'six', { leftBy: 'five' })).toMatchObject({
        outcome: 'claimed',
        attempt: 6,
      });
      expect(await claim(run.id, 'six', { again: true })).toMatchObject({ outcome: 'claimed', attempt: 7 });
      postponed(await claim(run.id, 'seven'));
    });

    test('a run whose caller waits, and the end of a run, do not wait', async () => {
      const interactive = await accepted({ lane: 'interactive' });
      for (let attempt = 1; attempt <= 9; attempt += 1)
        expect(await claim(interactive.id, `worker-${attempt}`)).toMatchObject({
          outcome: 'claimed',
          attempt,
        });
      const exhausted = await accepted({ maximumAttempts: 2 });
      await claim(exhausted.id, 'one');
      await claim(exhausted.id, 'two');
      expect(await claim(exhausted.id, 'three')).toMatchObject({ outcome: 'exhausted', attempt: 2 });
      const cancelled = await accepted();
      await claim(cancelled.id, 'one');
      await claim(cancelled.id, 'two');
      await store().requestCancel(cancelled.userId, cancelled.id);
      expect(await claim(cancelled.id, 'three')).toMatchObject({ outcome: 'finished', status: 'cancelled' });
    });

    test('one call answers claims of every outcome', async () => {
      const [waiting, exhausted, held, free] = [
        await accepted(),
        await accepted({ maximumAttempts: 2 }),
        await accepted(),
        await accepted(),
      ];
      for (const run of [waiting, exhausted])
        for (const worker of ['one', 'two']) await claim(run.id, worker);
      await claim(held.id, 'one');
      const requests = [waiting, exhausted, held, free].map(({ id: runId }) => ({
        runId,
        worker: 'three',
        redelivered: runId !== held.id,
      }));
      const answers = await store().claim(requests);
      expect(requests.map(({ runId }) => answers.get(runId)?.outcome)).toEqual([
        'postponed',
        'exhausted',
        'held',
        'claimed',
      ]);
    });

    test('an attempt does not count when its executor turns out to be alive during the wait', async () => {
      const run = await accepted();
      await claim(run.id, 'one');
      await claim(run.id, 'two');
      postponed(await claim(run.id, 'three'));
      const beat = await store().heartbeat('two', [{ runId: run.id, attempt: 2 }]);
      expect(beat.held.size).toBe(0);
      await set(run.id, 'next_sweep_at = now()');
      expect(await claim(run.id, 'three')).toMatchObject({ attempt: 3, countedAttempts: 2 });
    });

    test('a failed attempt that waits for its retry still counts when its executor renews its lease', async () => {
      const run = await accepted();
      await claim(run.id, 'one');
      const failure = { code: 'component_failed', message: 'no', vertex: null, problems: [] };
      await store().retry({ runId: run.id, attempt: 1, failure, pauseMilliseconds: 0 });
      await store().heartbeat('one', [{ runId: run.id, attempt: 1 }]);
      expect(await claim(run.id, 'two')).toMatchObject({ attempt: 2, countedAttempts: 2 });
    });
  });
}
