import { randomUUID } from 'node:crypto';
import { RunStore } from '../run-store';
import type { ClaimRequest } from './claim';
import type { TestDatabase } from '../../testing/open-test-database';
import { completion, makeFlow, messageRow, newRun, REQUEST } from '../../testing/test-parts';

/** Contract for accepting, claiming and ending runs, on any database. */
export function describeRunClaims(name: string, open: () => TestDatabase): void {
  describe(`claims of runs (${name})`, () => {
    const store = () => new RunStore({ database: open().database });
    const expireLease = (id: string) =>
      open().database.query({
        text: `UPDATE runs SET lease_until = now() - interval '1 second' WHERE id = $1`,
        values: [id],
      });
    const claim = async (runId: string, worker: string, redelivered = false) =>
      (await store().claim([{ runId, worker, redelivered }])).get(runId)!;
    const accepted = async (changes: Parameters<typeof newRun>[1] = {}) => {
      const run = newRun(await makeFlow(open().database), changes);
      await store().accept([run]);
      return run;
    };

    test('a run is accepted, queued, claimed, completed and found with its result, byte for byte', async () => {
      const run = await accepted({ traceparent: '00-aa-bb-01', sessionId: 's\u0000' });
      const find = () => store().find(run.userId, run.id);
      expect(await find()).toMatchObject({
        status: 'accepted',
        attempt: 0,
        request: REQUEST,
        queuedAt: null,
      });
      await store().markQueued([run.id, randomUUID()].map((runId) => ({ runId, attempt: 0 })));
      expect(await find()).toMatchObject({ status: 'queued', queuedAt: expect.any(Date), startedAt: null });
      expect(await claim(run.id, 'one')).toMatchObject({
        outcome: 'claimed',
        attempt: 1,
        countedAttempts: 1,
        maximumAttempts: 3,
        request: REQUEST,
        flowId: run.flowId,
        flowVersion: 1,
        userId: run.userId,
        limitMilliseconds: 600_000,
        traceparent: '00-aa-bb-01',
        acceptedAt: expect.any(Date),
      });
      expect(await find()).toMatchObject({ status: 'running', worker: 'one', startedAt: expect.any(Date) });
      await store().markQueued([{ runId: run.id, attempt: 0 }]);
      const result = '{"b":1, "a":"\\u0000 é", "1":2}';
      expect(await store().complete([completion(run.id, 1, { result })])).toEqual(new Set([run.id]));
      expect(await find()).toMatchObject({
        status: 'succeeded',
        resultText: result,
        result: JSON.parse(result),
        failure: null,
        finishedAt: expect.any(Date),
      });
      const again = await claim(run.id, 'two', true);
      expect(again).toMatchObject({
        outcome: 'finished',
        status: 'succeeded',
        attempt: 1,
        resultText: result,
      });
    });

    test('a confirmation or a message of an attempt that has failed does not end the wait for the next one', async () => {
      const failure = { code: 'component_failed', message: 'no', vertex: null, problems: [] };
      const run = await accepted();
      await claim(run.id, 'one');
      await store().retry({ runId: run.id, attempt: 1, failure, pauseMilliseconds: 60_000 });
      await store().markQueued([{ runId: run.id, attempt: 0 }]);
      expect(await claim(run.id, 'two', true)).toMatchObject({ outcome: 'held', worker: null });
      expect(await store().find(run.userId, run.id)).toMatchObject({ status: 'accepted', attempt: 1 });
      await open().database.query({
        text: `UPDATE runs SET next_sweep_at = now() WHERE id = $1`,
        values: [run.id],
      });
      const swept = (await store().sweep({ limit: 500 })).filter(({ id }) => id === run.id);
      expect(swept).toMatchObject([{ attempt: 1, queueSuspect: false }]);
      expect(await claim(run.id, 'two')).toMatchObject({ outcome: 'claimed', attempt: 2 });
      await store().retry({ runId: run.id, attempt: 2, failure, pauseMilliseconds: 60_000 });
      await store().markQueued(swept.map(({ id: runId, attempt }) => ({ runId, attempt })));
      expect(await store().find(run.userId, run.id)).toMatchObject({ status: 'accepted', attempt: 2 });
    });

    test('a late heartbeat does not uncount an attempt that failed, was handed off or was given back', async () => {
      const failure = { code: 'component_failed', message: 'no', vertex: null, problems: [] };
      const run = await accepted({ maximumAttempts: 9 });
      const late = (worker: string, attempt: number) =>
        store().heartbeat(worker, [{ runId: run.id, attempt }]);
      await claim(run.id, 'one');
      await store().retry({ runId: run.id, attempt: 1, failure, pauseMilliseconds: 0 });
      expect(await claim(run.id, 'two')).toMatchObject({ countedAttempts: 2 });
      await late('one', 1);
      await store().release([{ runId: run.id, attempt: 2 }]);
      expect(await claim(run.id, 'three')).toMatchObject({ attempt: 3, countedAttempts: 2 });
      await late('two', 2);
      const left = { runId: run.id, worker: 'four', redelivered: false, leftBy: 'three' };
      expect((await store().claim([left])).get(run.id)).toMatchObject({ attempt: 4, countedAttempts: 2 });
      await late('three', 3);
      await store().release([{ runId: run.id, attempt: 4 }]);
      expect(await claim(run.id, 'five')).toMatchObject({ attempt: 5, countedAttempts: 2 });
    });

    test('another user does not find a run, and a claim of an unknown run returns unknown', async () => {
      const run = await accepted();
      expect(await store().find(randomUUID(), run.id)).toBeNull();
      expect(await claim(randomUUID(), 'one')).toEqual({ outcome: 'unknown' });
    });

    test('eight workers claim the same 500 runs and each run has one owner', async () => {
      const flow = await makeFlow(open().database);
      const runs = Array.from({ length: 500 }, () => newRun(flow));
      await store().accept(runs);
      const workers = Array.from({ length: 8 }, (_, index) => `worker-${index}`);
      const owners = new Map<string, string[]>(runs.map(({ id }) => [id, []]));
      await Promise.all(
        workers.map(async (worker) => {
          const shuffled = runs.map(({ id }) => id).sort(() => Math.random() - 0.5);
          for (let start = 0; start < shuffled.length; start += 100) {
            const claims: ClaimRequest[] = shuffled
              .slice(start, start + 100)
              .map((runId) => ({ runId, worker, redelivered: false }));
            for (const [id, answer] of await store().claim(claims)) {
              if (answer.outcome === 'claimed') owners.get(id)!.push(worker);
              // On a busy server, a claim waits too long for the row that another one has locked.
              else expect(['held', 'locked']).toContain(answer.outcome);
            }
          }
        }),
      );
      expect([...owners.values()].filter((names) => names.length !== 1)).toEqual([]);
    });

    test('a valid lease protects a run, except against a redelivery; an expired lease does not', async () => {
      const run = await accepted({ lane: 'interactive' });
      await claim(run.id, 'one');
      expect(await claim(run.id, 'two')).toEqual({ outcome: 'held', worker: 'one', attempt: 1 });
      expect(await claim(run.id, 'two', true)).toMatchObject({ outcome: 'claimed', attempt: 2 });
      await expireLease(run.id);
      expect(await claim(run.id, 'three')).toMatchObject({
        outcome: 'claimed',
        attempt: 3,
        countedAttempts: 3,
      });
    });

    test('repeating a claim whose answer was lost costs no attempt and takes no run from another worker', async () => {
      const run = await accepted({ maximumAttempts: 1 });
      const claimAgain = async (worker: string) =>
        (await store().claim([{ runId: run.id, worker, redelivered: false, again: true }])).get(run.id)!;
      await claim(run.id, 'one');
      expect(await claimAgain('two')).toMatchObject({ outcome: 'held', worker: 'one', attempt: 1 });
      expect(await claimAgain('one')).toMatchObject({ outcome: 'claimed', attempt: 2, countedAttempts: 1 });
      expect(await store().complete([completion(run.id, 1)])).toEqual(new Set());
      expect(await store().complete([completion(run.id, 2)])).toEqual(new Set([run.id]));
    });

    test('a run that its worker handed off can be claimed at once, and that attempt does not count', async () => {
      const run = await accepted({ maximumAttempts: 1 });
      const claimLeft = async (worker: string, leftBy: string) =>
        (await store().claim([{ runId: run.id, worker, redelivered: false, leftBy }])).get(run.id)!;
      await claim(run.id, 'one');
      expect(await claimLeft('three', 'two')).toMatchObject({ outcome: 'held', worker: 'one' });
      expect(await claimLeft('two', 'one')).toMatchObject({
        outcome: 'claimed',
        attempt: 2,
        countedAttempts: 1,
      });
      expect(await claimLeft('three', 'one')).toMatchObject({ outcome: 'held', worker: 'two' });
      expect(await store().complete([completion(run.id, 1)])).toEqual(new Set());
      expect(await store().complete([completion(run.id, 2)])).toEqual(new Set([run.id]));
      expect(await claimLeft('three', 'two')).toMatchObject({ outcome: 'finished', attempt: 2 });
    });

    test('a worker whose run was taken over stores nothing, however often it tries', async () => {
      const run = await accepted();
      const flow = { id: run.flowId, userId: run.userId } as Awaited<ReturnType<typeof makeFlow>>;
      await claim(run.id, 'zombie');
      await claim(run.id, 'heir', true);
      const zombies = completion(run.id, 1, { status: 'failed', messages: [messageRow(flow)] });
      expect(await store().complete([zombies])).toEqual(new Set());
      expect((await store().heartbeat('zombie', [{ runId: run.id, attempt: 1 }])).held).toEqual(new Set());
      expect(await store().complete([completion(run.id, 2)])).toEqual(new Set([run.id]));
      expect(await store().complete([completion(run.id, 2)])).toEqual(new Set());
      expect(await store().complete([zombies])).toEqual(new Set());
      const { rows } = await open().database.query<{ count: number }>({
        text: 'SELECT count(*) FROM messages WHERE run_id = $1',
        values: [run.id],
      });
      expect(rows[0]?.count).toBe(0);
    });

    test('stores exactly one of several concurrent ends', async () => {
      const run = await accepted();
      await claim(run.id, 'one');
      const ends = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          store().complete([completion(run.id, 1, { status: index % 2 ? 'failed' : 'succeeded' })]),
        ),
      );
      expect(ends.filter((stored) => stored.has(run.id))).toHaveLength(1);
    });

    test('after an unknown outcome a stored end counts as stored, a different end does not', async () => {
      const run = await accepted();
      await claim(run.id, 'one');
      await store().complete([completion(run.id, 1)]);
      const again = { afterUnknownOutcome: true };
      expect(await store().complete([completion(run.id, 1)], again)).toEqual(new Set([run.id]));
      expect(await store().complete([completion(run.id, 1, { status: 'failed' })], again)).toEqual(new Set());
      expect(await store().complete([completion(run.id, 2)], again)).toEqual(new Set());
    });

    test('a run without attempts left is dead, and one claim reports it as exhausted', async () => {
      const run = await accepted({ maximumAttempts: 2, requestId: 'request-1' });
      expect(await claim(run.id, 'one')).toMatchObject({ requestId: 'request-1' });
      await claim(run.id, 'two', true);
      const exhausted = { outcome: 'exhausted', attempt: 2, requestId: 'request-1' };
      expect(await claim(run.id, 'three', true)).toEqual(exhausted);
      expect(await claim(run.id, 'four', true)).toMatchObject({
        outcome: 'finished',
        status: 'dead',
        attempt: 2,
        failure: { code: 'attempts_exhausted' },
      });
      expect(await store().complete([completion(run.id, 2)])).toEqual(new Set());
    });

    test('a handed-off run goes to another worker, and its attempt does not count', async () => {
      const run = await accepted({ maximumAttempts: 1 });
      for (let attempt = 1; attempt <= 4; attempt += 1) {
        expect(await claim(run.id, 'one')).toMatchObject({ outcome: 'claimed', attempt, countedAttempts: 1 });
        await store().release([{ runId: run.id, attempt }]);
        expect(await store().complete([completion(run.id, attempt)])).toEqual(new Set());
      }
      await store().release([{ runId: run.id, attempt: 4 }]);
      expect(await store().find(run.userId, run.id)).toMatchObject({ status: 'queued', worker: null });
      expect(await claim(run.id, 'two')).toMatchObject({ outcome: 'claimed', attempt: 5 });
      expect(await claim(run.id, 'three', true)).toMatchObject({ outcome: 'exhausted', attempt: 5 });
    });

    test('a run handed off without its message is republished soon, and its attempt does not count', async () => {
      const run = await accepted({ maximumAttempts: 1 });
      await store().markQueued([{ runId: run.id, attempt: 0 }]);
      await claim(run.id, 'one');
      await store().release([{ runId: run.id, attempt: 1, isMessageLost: true }]);
      expect(await store().find(run.userId, run.id)).toMatchObject({ status: 'accepted', worker: null });
      const swept = (await store().sweep({ limit: 500 })).filter(({ id }) => id === run.id);
      expect(swept).toMatchObject([{ queueSuspect: false }]);
      await store().markQueued([{ runId: run.id, attempt: 1 }]);
      expect(await claim(run.id, 'two')).toMatchObject({ attempt: 2, countedAttempts: 1 });
    });

    test('a worker that has a run again holds its new attempt alone', async () => {
      const failure = { code: 'component_failed', message: 'no', vertex: null, problems: [] };
      const run = await accepted({ maximumAttempts: 9 });
      await claim(run.id, 'one');
      await store().retry({ runId: run.id, attempt: 1, failure, pauseMilliseconds: 0 });
      expect(await claim(run.id, 'one')).toMatchObject({ outcome: 'claimed', attempt: 2 });
      const held = async (attempt: number) =>
        (await store().heartbeat('one', [{ runId: run.id, attempt }])).held.size;
      expect([await held(1), await held(2)]).toEqual([0, 1]);
    });

    test('an attempt taken over from a worker that is still alive does not count, up to a limit', async () => {
      const run = await accepted({ maximumAttempts: 2 });
      await claim(run.id, 'worker-1');
      let attempt = 1;
      for (; attempt < 20; attempt += 1) {
        const takeover = await claim(run.id, `worker-${attempt + 1}`, true);
        if (takeover.outcome !== 'claimed') break;
        expect((await store().heartbeat(`worker-${attempt}`, [{ runId: run.id, attempt }])).held.size).toBe(
          0,
        );
      }
      expect(attempt).toBe(7);
      expect(await store().find(run.userId, run.id)).toMatchObject({ status: 'dead', attempt: 7 });
    });

    test('a heartbeat renews the leases of held runs and reports requested cancellations', async () => {
      const [held, cancelled, lost] = [await accepted(), await accepted(), await accepted()];
      for (const run of [held, cancelled, lost]) await claim(run.id, 'one');
      await expireLease(held.id);
      await claim(lost.id, 'two', true);
      await store().requestCancel(cancelled.userId, cancelled.id);
      const runs = [held, cancelled, lost].map(({ id }) => ({ runId: id, attempt: 1 }));
      expect(await store().heartbeat('one', runs)).toEqual({
        held: new Set([held.id, cancelled.id]),
        cancelRequested: new Set([cancelled.id]),
      });
      expect(await claim(held.id, 'two')).toMatchObject({ outcome: 'held', worker: 'one' });
    });

    test('a waiting run is cancelled at once and cannot be claimed', async () => {
      const run = await accepted();
      expect(await store().requestCancel(randomUUID(), run.id)).toBeNull();
      expect((await store().find(run.userId, run.id))?.status).toBe('accepted');
      expect(await store().requestCancel(run.userId, run.id)).toMatchObject({ status: 'cancelled' });
      expect(await claim(run.id, 'one')).toMatchObject({
        outcome: 'finished',
        status: 'cancelled',
        attempt: 0,
      });
      expect((await store().find(run.userId, run.id))?.failure?.code).toBe('cancelled');
    });

    test('a run with a requested cancellation is not retried when its worker crashes', async () => {
      const run = await accepted();
      await claim(run.id, 'one');
      expect(await store().requestCancel(run.userId, run.id)).toMatchObject({ status: 'running' });
      expect(await claim(run.id, 'two', true)).toMatchObject({ outcome: 'finished', status: 'cancelled' });
    });

    test('a worker that began after the executors were asked keeps the run', async () => {
      const run = newRun(await makeFlow(open().database), { maximumAttempts: 1 });
      await store().accept([run]);
      await store().claim([{ runId: run.id, worker: 'one', redelivered: false }]);
      const late = { runId: run.id, worker: 'two', redelivered: true };
      const held = await store().claim([{ ...late, askedAt: performance.now() - 10_000 }]);
      expect(held.get(run.id)).toEqual({ outcome: 'held', worker: 'one', attempt: 1 });
      expect((await store().claim([late])).get(run.id)).toMatchObject({ outcome: 'exhausted', attempt: 1 });
    });
  });
}
