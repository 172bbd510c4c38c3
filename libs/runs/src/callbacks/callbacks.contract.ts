import type { Callback } from '@millrace/flow';
import type { FlowRecord } from '../flows/flow-record';
import { FlowStore } from '../flows/flow-store';
import type { NewRun } from '../run-record/run-record';
import { RunStore } from '../runs/run-store';
import type { DueCallback } from './callback-delivery';
import type { TestDatabase } from '../testing/open-test-database';
import { completion, interactiveRun, makeUser, newRun, openCallbacks } from '../testing/test-parts';

const EVERYWHERE = 'https://receiver.test/runs?token=1';

/** Contract for the reports of the ends of runs, on any database. */
export function describeCallbacks(name: string, open: () => TestDatabase): void {
  describe(`callbacks (${name})`, () => {
    const runs = () => new RunStore({ database: open().database });
    const callbacks = () => openCallbacks(open().database);
    const claim = (runId: string, redelivered = false) => ({ runId, worker: 'worker', redelivered });
    const none = new Map<string, number>();

    async function makeFlow(given?: readonly Callback[]): Promise<FlowRecord> {
      const user = await makeUser(open().database);
      const flow = { name: 'flow', document: { nodes: [], edges: [] } };
      const settings = given ? { callbacks: given } : {};
      return new FlowStore({ database: open().database }).create(user.id, { ...flow, settings });
    }

    async function accepted(flow: FlowRecord, changes: Partial<NewRun> = {}): Promise<NewRun> {
      const run = newRun(flow, { maximumAttempts: 1, ...changes });
      await runs().accept([run]);
      return run;
    }

    /** Takes what is due and returns what belongs to the flow's user. */
    async function taken({ userId }: FlowRecord, places = none): Promise<DueCallback[]> {
      const due = await callbacks().take({ limit: 10_000, perTarget: 100, places });
      return due.filter((callback) => callback.userId === userId);
    }

    const outcome = { milliseconds: 7, status: 500, error: 'answered 500', answer: 'no' } as const;
    const page = { limit: 50, offset: 0 };

    test('every way in which a run ends adds one delivery, with the end', async () => {
      const flow = await makeFlow([{ url: EVERYWHERE, secrets: ['A', 'B'] }]);
      const [done, failed, late, given, swept, exhausted, waiting, running, bulk] = await Promise.all(
        Array.from({ length: 9 }, () => accepted(flow)),
      );
      if (!done || !failed || !late || !given || !swept || !exhausted || !waiting || !running || !bulk)
        throw new Error('runs are missing');
      await runs().claim([done, failed, late, given, swept, exhausted, running].map(({ id }) => claim(id)));
      await runs().complete([
        completion(done.id, 1, { result: '{"a":1}' }),
        completion(failed.id, 1, { status: 'failed', result: null }),
        completion(late.id, 1, { status: 'timed_out', result: null }),
        completion(given.id, 1, { status: 'dead', result: null }),
      ]);
      await runs().claim([claim(exhausted.id, true)]);
      await open().database.query({
        text: `UPDATE runs SET lease_until = now() - interval '1 second', next_sweep_at = now() WHERE id = $1`,
        values: [swept.id],
      });
      await runs().sweep({ limit: 500 });
      await runs().requestCancel(flow.userId, waiting.id);
      await runs().requestCancel(flow.userId, running.id);
      const filter = { userId: flow.userId, statuses: ['accepted'] as const };
      const { asOfMicroseconds } = await runs().countBulk({ action: { kind: 'cancel' }, filter }, 100);
      await runs().applyBulk({ action: { kind: 'cancel' }, filter, asOfMicroseconds }, { limit: 10 });
      const recorded = interactiveRun(flow);
      await runs().record([recorded]);
      const again = { ...newRun(flow, { lane: 'interactive', maximumAttempts: 2 }), worker: 'worker' };
      await runs().beginRedelivered(again);
      await runs().beginRedelivered(again);

      const found = await callbacks().list(flow.userId, {}, page);
      expect(new Map(found.map(({ runId, kind }) => [runId, kind]))).toEqual(
        new Map([
          ...[done.id, recorded.id].map((id) => [id, 'finished'] as const),
          ...[failed.id, late.id].map((id) => [id, 'failed'] as const),
          ...[given.id, swept.id, exhausted.id, again.id].map((id) => [id, 'dead'] as const),
          ...[waiting.id, bulk.id].map((id) => [id, 'cancelled'] as const),
        ]),
      );
      expect(found).toHaveLength(10);
      await runs().complete([completion(running.id, 1, { status: 'cancelled', result: null })]);
      const due = await taken(flow);
      expect(due).toHaveLength(11);
      expect(due.find(({ run }) => run.id === done.id)).toMatchObject({
        kind: 'finished',
        url: EVERYWHERE,
        secrets: ['A', 'B'],
        attempt: 1,
        tries: 1,
        target: `${flow.userId} https://receiver.test`,
        run: { status: 'succeeded', resultText: '{"a":1}', isResultTooLarge: false, attempt: 1 },
      });
    });

    test('the callback of a request and those of its flow each get the kinds that they name', async () => {
      const flow = await makeFlow([
        { url: 'https://a.test', secrets: ['A'], on: ['failed'] },
        { url: 'https://b.test', secrets: ['A'], on: ['finished', 'dead'], result: 'omit' },
      ]);
      const run = await accepted(flow, { callback: { url: 'http://c.test:8080/x', secrets: ['C'] } });
      await runs().claim([claim(run.id)]);
      await runs().complete([completion(run.id, 1)]);
      const due = await taken(flow);
      expect(due.map(({ url }) => url).sort()).toEqual(['http://c.test:8080/x', 'https://b.test']);
      expect(due.find(({ url }) => url === 'https://b.test')?.run.resultText).toBeNull();
    });

    test('a report to an exchange has its connection as the target, and a reply the id of its message', async () => {
      const results = { connection: 'BROKER', exchange: 'results', routingKey: 'done' };
      const flow = await makeFlow([{ amqp: results, on: ['finished'] }]);
      const reply = {
        connection: 'BROKER',
        exchange: '',
        routingKey: 'caller',
        reply: { correlationId: '7' },
      };
      const run = await accepted(flow, { callback: { amqp: reply } });
      await runs().claim([claim(run.id)]);
      await runs().complete([completion(run.id, 1)]);
      const due = await taken(flow);
      expect(due.map(({ amqp }) => amqp)).toEqual(expect.arrayContaining([results, reply]));
      for (const { url, target } of due)
        expect([url, target]).toEqual(['amqp:BROKER', `${flow.userId} amqp:BROKER`]);
      expect(await callbacks().list(flow.userId, { runId: run.id }, page)).toMatchObject([
        { url: 'amqp:BROKER', amqp: { routingKey: expect.any(String) } },
        { url: 'amqp:BROKER' },
      ]);
    });

    test('a replayed run has the callback of the request', async () => {
      const flow = await makeFlow();
      const run = await accepted(flow, { callback: { url: 'https://c.test', secrets: ['C'] } });
      await runs().claim([claim(run.id)]);
      await runs().complete([completion(run.id, 1, { status: 'failed', result: null })]);
      const replay = (await runs().replay(flow.userId, [run.id])).get(run.id) ?? '';
      await runs().claim([claim(replay)]);
      await runs().complete([completion(replay, 1)]);
      const due = await taken(flow);
      expect(due.map(({ run: { id }, kind }) => [id, kind])).toEqual([
        [run.id, 'failed'],
        [replay, 'finished'],
      ]);
    });

    test('a run without callbacks ends without a delivery, whatever the settings contain', async () => {
      const flow = await makeFlow();
      for (const settings of [
        '{}',
        '{"callbacks":null}',
        '{"callbacks":[{"url":7},{},{"amqp":7},{"amqp":[]}]}',
        '[]',
        'null',
      ]) {
        await open().database.query({
          text: 'UPDATE flows SET settings = $2 WHERE id = $1',
          values: [flow.id, settings],
        });
        await runs().record([interactiveRun(flow)]);
      }
      expect(await callbacks().list(flow.userId, {}, page)).toEqual([]);
    });

    test('a delivery is taken by one process, retried with its id, and logged', async () => {
      const flow = await makeFlow([{ url: EVERYWHERE, secrets: ['A'] }]);
      await runs().record([interactiveRun(flow)]);
      const both = (await Promise.all([taken(flow), taken(flow)])).flat();
      expect(both).toHaveLength(1);
      const { id = '' } = both[0] ?? {};
      expect(await callbacks().finish({ ...outcome, id, attempt: 1, retryIn: 0 })).toBe('pending');
      const [again] = await taken(flow);
      expect(again).toMatchObject({ id, attempt: 2, tries: 2 });
      // The first process ends late: the second one has the delivery.
      expect(await callbacks().finish({ ...outcome, id, attempt: 1, retryIn: null })).toBeNull();
      const delivered = { ...outcome, id, attempt: 2, retryIn: null, status: 204, error: null, answer: '' };
      expect(await callbacks().finish(delivered)).toBe('delivered');
      expect(await taken(flow)).toEqual([]);
      expect(await callbacks().attempts(id)).toMatchObject([
        { number: 2, status: 204, error: null },
        { number: 1, status: 500, error: 'answered 500', answer: 'no', milliseconds: 7 },
      ]);
      const [listed] = await callbacks().list(flow.userId, { state: 'delivered' }, page);
      expect(listed).toMatchObject({ id, attempts: 2, lastStatus: 204, dueAt: null });
    });

    test('an attempt whose process ended is repeated', async () => {
      const flow = await makeFlow([{ url: EVERYWHERE, secrets: ['A'] }]);
      await runs().record([interactiveRun(flow)]);
      const [first] = await taken(flow);
      await open().database.query({
        text: `UPDATE callback_deliveries SET due_at = due_at - interval '121 seconds' WHERE id = $1`,
        values: [first?.id],
      });
      expect(await taken(flow)).toMatchObject([{ id: first?.id, attempt: 2 }]);
    });

    test('a target without a place is passed over, and others are not', async () => {
      const flow = await makeFlow([
        { url: 'https://open.test/x', secrets: ['A'] },
        { url: 'https://closed.test/x', secrets: ['A'] },
      ]);
      for (let count = 0; count < 3; count += 1) await runs().record([interactiveRun(flow)]);
      const places = new Map([
        [`${flow.userId} https://closed.test`, 0],
        [`${flow.userId} https://open.test`, 2],
      ]);
      const due = await taken(flow, places);
      expect(due.map(({ url }) => url)).toEqual(['https://open.test/x', 'https://open.test/x']);
    });

    test('users take turns: the deliveries of the user behind the last one come first', async () => {
      await callbacks().take({ limit: 10_000, perTarget: 100, places: none });
      const flows = await Promise.all([1, 2].map(() => makeFlow([{ url: EVERYWHERE, secrets: ['A'] }])));
      for (const flow of [...flows, ...flows]) await runs().record([interactiveRun(flow)]);
      const [first, second] = flows.map(({ userId }) => userId).sort();
      const next = async (after: string | undefined) =>
        (await callbacks().take({ limit: 1, perTarget: 1, places: none, after }))[0]?.userId;
      expect([await next(first), await next(second), await next(first), await next(second)]).toEqual([
        second,
        first,
        second,
        first,
      ]);
    });

    test('a delivery ends as dead when its time is over or the receiver refuses it, and can be replayed', async () => {
      const flow = await makeFlow([{ url: EVERYWHERE, secrets: ['A'] }]);
      for (let count = 0; count < 3; count += 1) await runs().record([interactiveRun(flow)]);
      const ids = (await taken(flow)).map(({ id }) => id);
      const [late = '', unwanted = '', expired = ''] = ids;
      const day = 86_400_000;
      expect(await callbacks().finish({ ...outcome, id: late, attempt: 1, retryIn: 4 * day })).toBe('dead');
      expect(await callbacks().finish({ ...outcome, id: unwanted, attempt: 1, retryIn: 'never' })).toBe(
        'dead',
      );
      await open().database.query({
        text: `UPDATE callback_deliveries SET expires_at = now() - interval '1 second' WHERE id = $1`,
        values: [expired],
      });
      expect(await callbacks().expire(100)).toBeGreaterThanOrEqual(1);
      expect(await callbacks().list(flow.userId, { state: 'dead' }, page)).toHaveLength(3);
      const change = callbacks().within(open().database);
      const stranger = await makeUser(open().database);
      expect(await change.replay(stranger.id, ids)).toEqual([]);
      expect((await change.replay(flow.userId, ids)).sort()).toEqual([...ids].sort());
      expect(await change.replay(flow.userId, ids)).toEqual([]);
      // The attempt that took too long ends after the replay, which is not its own.
      expect(await callbacks().finish({ ...outcome, id: expired, attempt: 1, retryIn: null })).toBeNull();
      expect(await taken(flow)).toMatchObject(ids.map(() => ({ attempt: 2, tries: 1 })));
      expect(await change.delete(stranger.id, late)).toBe(false);
      expect(await change.delete(flow.userId, late)).toBe(true);
      expect(await callbacks().find(flow.userId, late)).toBeNull();
    });
  });
}
