import type { NewRun } from '../../run-record/run-record';
import { RunStore } from '../run-store';
import type { TestDatabase } from '../../testing/open-test-database';
import { completion, interactiveRun, makeFlow, newRun } from '../../testing/test-parts';

/** Contract for the publication of dead letters, on any database. */
export function describeDeadLetters(name: string, open: () => TestDatabase): void {
  describe(`dead letters (${name})`, () => {
    const store = () => new RunStore({ database: open().database });
    const claim = (runId: string, redelivered = false) => ({ runId, worker: 'worker', redelivered });

    async function accepted(changes: Partial<NewRun> = {}): Promise<NewRun> {
      const run = newRun(await makeFlow(open().database), { maximumAttempts: 1, ...changes });
      await store().accept([run]);
      return run;
    }

    /** Takes dead letters and returns those of these runs. */
    async function taken(...runs: readonly { readonly id: string }[]) {
      const ids = runs.map(({ id }) => id);
      return (await store().takeDeadLetters(10_000)).filter(({ runId }) => ids.includes(runId));
    }

    async function forwardTo(seconds: number): Promise<void> {
      await open().database.query({
        text: `UPDATE dead_letters SET due_at = due_at - $1 * interval '1 second'`,
        values: [seconds],
      });
    }

    test('every way to become dead adds a dead letter, and no other end does', async () => {
      const [swept, exhausted, completed, well] = [
        await accepted(),
        await accepted(),
        await accepted(),
        await accepted(),
      ];
      await store().claim([claim(swept.id), claim(exhausted.id), claim(completed.id), claim(well.id)]);
      await store().complete([completion(well.id, 1), completion(completed.id, 1, { status: 'dead' })]);
      await store().claim([claim(exhausted.id, true)]);
      await open().database.query({
        text: `UPDATE runs SET lease_until = now() - interval '1 second', next_sweep_at = now() WHERE id = $1`,
        values: [swept.id],
      });
      await store().sweep({ limit: 500 });
      const flow = await makeFlow(open().database);
      const recorded = interactiveRun(flow, { status: 'dead', result: null });
      await store().record([recorded]);
      const again = { ...newRun(flow, { lane: 'interactive', maximumAttempts: 2 }), worker: 'worker' };
      expect(await store().beginRedelivered(again)).toMatchObject({ attempt: 2 });
      expect(await store().beginRedelivered(again)).toEqual({
        exhausted: true,
        lastAttempt: expect.any(Number),
      });

      const letters = await taken(swept, exhausted, completed, well, recorded, again);
      expect(letters.map(({ runId }) => runId).sort()).toEqual(
        [swept, exhausted, completed, recorded, again].map(({ id }) => id).sort(),
      );
      expect(letters.find(({ runId }) => runId === swept.id)).toMatchObject({
        flowId: swept.flowId,
        userId: swept.userId,
        pool: 'default',
        attempt: 1,
        failure: { code: 'attempts_exhausted' },
        finishedAt: expect.any(Date),
      });
    });

    test('a dead letter is taken by one process, by another after 30 seconds, and never once it is confirmed', async () => {
      const run = await accepted();
      await store().claim([claim(run.id)]);
      await store().complete([completion(run.id, 1, { status: 'dead' })]);
      const both = await Promise.all([taken(run), taken(run)]);
      expect(both.flat()).toHaveLength(1);
      await forwardTo(29);
      expect(await taken(run)).toEqual([]);
      await forwardTo(2);
      expect(await taken(run)).toHaveLength(1);
      await store().confirmDeadLetters([run.id]);
      await forwardTo(60);
      expect(await taken(run)).toEqual([]);
    });

    test('the dead letter of a deleted run is not published', async () => {
      const run = await accepted();
      await store().claim([claim(run.id)]);
      await store().complete([completion(run.id, 1, { status: 'dead' })]);
      expect(await store().deleteRecord(run.userId, run.id)).toBe(true);
      expect(await taken(run)).toEqual([]);
    });
  });
}
