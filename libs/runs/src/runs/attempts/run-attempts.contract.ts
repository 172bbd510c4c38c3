import { RunStore } from '../run-store';
import type { ClaimRequest } from './claim';
import { readRunAttempts } from './run-attempts';
import { MAXIMUM_LOG_CHARACTERS, readRunLog, runLogText } from './run-logs';
import type { RunLogLine } from './run-logs';
import type { TestDatabase } from '../../testing/open-test-database';
import { completion, makeFlow, newRun } from '../../testing/test-parts';

const FAILURE = { code: 'component_failed', message: 'no', vertex: null, problems: [] };

/** Contract for the history of a run's attempts, on any database. */
export function describeRunAttempts(name: string, open: () => TestDatabase): void {
  describe(`attempts of a run (${name})`, () => {
    const store = () => new RunStore({ database: open().database });
    const set = (id: string, assignment: string) =>
      open().database.query({ text: `UPDATE runs SET ${assignment} WHERE id = $1`, values: [id] });
    const claim = (runId: string, worker: string, changes: Partial<ClaimRequest> = {}) =>
      store().claim([{ runId, worker, redelivered: false, ...changes }]);
    const attempts = async (userId: string, id: string) => {
      const record = await store().find(userId, id);
      return record === null ? [] : readRunAttempts(open().database, record);
    };
    const accepted = async () => {
      const run = newRun(await makeFlow(open().database), { maximumAttempts: 9 });
      await store().accept([run]);
      return run;
    };

    test('each attempt has its worker, its times and the reason of the next one', async () => {
      const { id, userId } = await accepted();
      expect(await attempts(userId, id)).toEqual([]);
      await claim(id, 'one');
      await set(id, `lease_until = now() - interval '1 second'`);
      await claim(id, 'two');
      await claim(id, 'three', { leftBy: 'two' });
      await store().release([{ runId: id, attempt: 3 }]);
      await claim(id, 'four');
      await store().retry({ runId: id, attempt: 4, failure: FAILURE, pauseMilliseconds: 0 });
      expect((await attempts(userId, id)).map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
      await claim(id, 'five');
      const past = `now() - interval '1 second'`;
      await set(id, `lease_until = ${past}, next_sweep_at = ${past}`);
      await store().sweep({ limit: 500 });
      await set(id, `next_sweep_at = ${past}`);
      await claim(id, 'six');
      expect((await attempts(userId, id)).at(-1)).toMatchObject({
        attempt: 6,
        outcome: 'running',
        endedAt: null,
      });
      await store().complete([completion(id, 6)]);
      const kept = await attempts(userId, id);
      expect(kept.map(({ attempt, worker, outcome }) => [attempt, worker, outcome])).toEqual([
        [1, 'one', 'executor_lost'],
        [2, 'two', 'handed_off'],
        [3, 'three', 'given_back'],
        [4, 'four', 'failed'],
        [5, 'five', 'executor_lost'],
        [6, 'six', 'succeeded'],
      ]);
      expect(kept.map(({ failure }) => failure)).toEqual([null, null, null, FAILURE, null, null]);
      for (const { startedAt, endedAt } of kept) {
        expect(startedAt).toBeInstanceOf(Date);
        expect(endedAt?.getTime()).toBeGreaterThanOrEqual(startedAt?.getTime() ?? Infinity);
      }
    });

    test('an executor that claims again after a lost answer was not lost', async () => {
      const { id, userId } = await accepted();
      await claim(id, 'one');
      const again = (await claim(id, 'one', { again: true })).get(id);
      expect(again).toMatchObject({ outcome: 'claimed', repeatReason: 'given_back', countedAttempts: 1 });
      await store().complete([completion(id, 2)]);
      const kept = await attempts(userId, id);
      expect(kept.map(({ attempt, worker, outcome }) => [attempt, worker, outcome])).toEqual([
        [1, 'one', 'given_back'],
        [2, 'one', 'succeeded'],
      ]);
    });

    test('an attempt whose run was taken over neither schedules another attempt nor gives the run back', async () => {
      const { id, userId } = await accepted();
      await claim(id, 'one');
      await claim(id, 'two', { leftBy: 'one' });
      const late = { runId: id, attempt: 1, failure: FAILURE, pauseMilliseconds: 0 };
      expect(await store().retry(late)).toBe(false);
      await store().release([late]);
      expect(await store().find(userId, id)).toMatchObject({ status: 'running', attempt: 2 });
    });

    test('a run with one attempt stores no history', async () => {
      const { id, userId } = await accepted();
      await claim(id, 'one');
      await store().complete([completion(id, 1, { status: 'failed', failure: FAILURE })]);
      expect(await attempts(userId, id)).toEqual([
        expect.objectContaining({ attempt: 1, worker: 'one', outcome: 'failed', failure: FAILURE }),
      ]);
      const { rows } = await open().database.query({
        text: 'SELECT 1 FROM run_attempts WHERE run_id = $1',
        values: [id],
      });
      expect(rows).toEqual([]);
    });

    test('the first attempt of a redelivered run has no worker, since its executor stored nothing', async () => {
      const { userId, ...run } = newRun(await makeFlow(open().database), {
        lane: 'interactive',
        origin: 'run',
      });
      await store().beginRedelivered({ ...run, userId, worker: 'two' });
      await store().beginRedelivered({ ...run, userId, worker: 'three' });
      expect(
        (await attempts(userId, run.id)).map(({ attempt, worker, outcome }) => [attempt, worker, outcome]),
      ).toEqual([
        [1, null, 'redelivered'],
        [2, 'two', 'redelivered'],
        [3, 'three', 'running'],
      ]);
    });

    test('lines are appended to the log of a run, of which the newest are kept', async () => {
      const { id, userId } = await accepted();
      const line = (message: string): RunLogLine => ({
        at: '2026-01-02T03:04:05.000Z',
        level: 'warn',
        message,
        attempt: 1,
        fields: { reason: 'é\u0000\ud800' },
      });
      const append = (...messages: string[]) =>
        store().appendLogs(new Map([[id, messages.map((text) => runLogText(line(text))).join('')]]));
      const log = () => readRunLog(open().database, id);
      expect(await log()).toEqual([]);
      expect(await append('first', 'second')).toEqual(new Set([id]));
      await append('third');
      expect(await log()).toEqual(['first', 'second', 'third'].map(line));
      const long = 'x'.repeat(10_000);
      for (let index = 0; index < 10; index += 1) await append(`${index} ${long}`);
      const kept = await log();
      expect(kept.map(({ message }) => message.slice(0, 2))).toEqual(['4 ', '5 ', '6 ', '7 ', '8 ', '9 ']);
      const { rows } = await open().database.query<{ bytes: number }>({
        text: 'SELECT octet_length(lines) AS bytes FROM run_logs WHERE run_id = $1',
        values: [id],
      });
      expect(rows).toEqual([{ bytes: MAXIMUM_LOG_CHARACTERS }]);
      await claim(id, 'one');
      await store().complete([completion(id, 1)]);
      expect(await store().deleteRecord(userId, id)).toBe(true);
      expect(await log()).toEqual([]);
    });

    test('lines of a run without a row are not stored', async () => {
      const { id } = newRun(await makeFlow(open().database));
      expect(await store().appendLogs(new Map([[id, '{}\n']]))).toEqual(new Set());
    });
  });
}
