import { RunStore } from '../run-store';
import type { ClaimRequest } from './claim';
import type { TestDatabase } from '../../testing/open-test-database';
import { makeFlow, newRun } from '../../testing/test-parts';

/** Contract for the reasons of further attempts, on any database. */
export function describeRepeatedClaims(name: string, open: () => TestDatabase): void {
  describe(`further attempts (${name})`, () => {
    const store = () => new RunStore({ database: open().database });
    const expireLease = (id: string) =>
      open().database.query({
        text: `UPDATE runs SET lease_until = now() - interval '1 second' WHERE id = $1`,
        values: [id],
      });
    const makeDue = (id: string) =>
      open().database.query({
        text: `UPDATE runs SET next_sweep_at = now() - interval '1 second' WHERE id = $1`,
        values: [id],
      });
    const accepted = async (changes: Parameters<typeof newRun>[1] = {}) => {
      const run = newRun(await makeFlow(open().database), changes);
      await store().accept([run]);
      return run;
    };

    test('a further attempt says why the one before ended, and who had it', async () => {
      const run = await accepted({ maximumAttempts: 9 });
      const attempt = async (worker: string, changes: Partial<ClaimRequest> = {}) => {
        const order = { runId: run.id, worker, redelivered: false, ...changes };
        const claimed = (await store().claim([order])).get(run.id);
        return claimed?.outcome === 'claimed' ? [claimed.repeatReason, claimed.previousWorker] : claimed;
      };
      expect(await attempt('one')).toEqual([null, null]);
      await expireLease(run.id);
      expect(await attempt('two')).toEqual(['executor_lost', 'one']);
      expect(await attempt('three', { leftBy: 'two' })).toEqual(['handed_off', 'two']);
      await store().release([{ runId: run.id, attempt: 3 }]);
      expect(await attempt('four')).toEqual(['given_back', null]);
      const failure = { code: 'component_failed', message: 'no', vertex: null, problems: [] };
      await store().retry({ runId: run.id, attempt: 4, failure, pauseMilliseconds: 0 });
      expect(await attempt('five')).toEqual(['failed', null]);
      await store().retry({ runId: run.id, attempt: 5, failure, pauseMilliseconds: 1 });
      await makeDue(run.id);
      await store().sweep({ limit: 500 });
      await store().markQueued([{ runId: run.id, attempt: 5 }]);
      expect(await attempt('six')).toEqual(['failed', null]);
      await expireLease(run.id);
      await makeDue(run.id);
      const lost: unknown[] = [];
      await store().sweep({ limit: 500, onLost: (one) => lost.push(one) });
      const { id: runId, flowId, userId } = run;
      expect(lost).toContainEqual(
        expect.objectContaining({ runId, flowId, userId, attempt: 6, worker: 'six', pool: 'default' }),
      );
      await makeDue(run.id);
      expect(await attempt('seven')).toEqual(['executor_lost', null]);
    });
  });
}
