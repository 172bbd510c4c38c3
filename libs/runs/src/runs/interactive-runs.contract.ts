import { FlowStore } from '../flows/flow-store';
import { MessageStore } from '../messages/message-store';
import { RunStore } from './run-store';
import type { RunFilter } from './search/run-filter';
import type { TestDatabase } from '../testing/open-test-database';
import { ApiKeyStore } from '../users/api-key-store';
import { interactiveRun, makeFlow, messageRow } from '../testing/test-parts';

const failure = { code: 'component_failed', message: 'it failed', vertex: null, problems: [] };

/** Contract for records of interactive runs and lists of runs, on any database. */
export function describeInteractiveRuns(name: string, open: () => TestDatabase): void {
  describe(`records of runs (${name})`, () => {
    const store = () => new RunStore({ database: open().database });
    const begin = (run: ReturnType<typeof interactiveRun>, worker = 'two') =>
      store().beginRedelivered({ ...run, worker });

    test('records a run that had no row, with its messages in order', async () => {
      const flow = await makeFlow(open().database);
      const timestamp = new Date('2026-01-02T03:04:05.678Z');
      const messages = ['one', 'two', 'three', 'four'].map((text) => messageRow(flow, { text, timestamp }));
      const run = interactiveRun(flow, { messages, startedAt: timestamp });
      expect(await store().record([run])).toEqual(new Set([run.id]));
      expect(await store().find(flow.userId, run.id)).toMatchObject({
        status: 'succeeded',
        attempt: 1,
        startedAt: timestamp,
        resultText: run.result,
        request: run.request,
      });
      expect(await store().status(flow.userId, run.id)).toBe('succeeded');
      expect(await store().status(crypto.randomUUID(), run.id)).toBeNull();
      const stored = await new MessageStore({ database: open().database }).list({ userId: flow.userId });
      expect(stored).toEqual(messages.map((message) => ({ ...message, runId: run.id })));
    });

    test('a replay has the key of the run, also of one that a redelivery began, or that of its caller', async () => {
      const flow = await makeFlow(open().database);
      const keys = new ApiKeyStore({ database: open().database });
      const keyId = (await keys.create(flow.userId, { name: 'key', expiresAt: null })).record.id;
      const [ofCaller, deleted] = [crypto.randomUUID(), crypto.randomUUID()];
      const failed = { status: 'failed', result: null, failure } as const;
      const keyed = interactiveRun(flow, { ...failed, keyId });
      const begun = interactiveRun(flow, { ...failed, keyId });
      const [unkeyed, orphaned] = [
        interactiveRun(flow, failed),
        interactiveRun(flow, { ...failed, keyId: deleted }),
      ];
      await begin(begun);
      await store().record([keyed, { ...begun, keyId: null, attempt: 2 }, unkeyed, orphaned]);
      const ids = [keyed.id, begun.id, unkeyed.id, orphaned.id];
      const replays = await store().replay(flow.userId, ids, { keyId: ofCaller });
      const claimed = await store().claim(
        ids.map((id) => ({ runId: replays.get(id) ?? '', worker: 'one', redelivered: false })),
      );
      expect(ids.map((id) => claimed.get(replays.get(id) ?? ''))).toMatchObject([
        { keyId },
        { keyId },
        { keyId: ofCaller },
        { keyId: ofCaller },
      ]);
    });

    test('stores a message of a sub-flow under that sub-flow', async () => {
      const flow = await makeFlow(open().database);
      const flows = new FlowStore({ database: open().database });
      const part = await flows.create(flow.userId, { name: 'part', document: {} });
      const timestamp = new Date();
      const messages = [
        messageRow(flow, { timestamp }),
        messageRow(flow, { timestamp, flowId: part.id, text: 'from the part' }),
      ];
      const run = interactiveRun(flow, { messages });
      expect(await store().record([run])).toEqual(new Set([run.id]));
      const stored = await new MessageStore({ database: open().database }).list({ userId: flow.userId });
      expect(stored.map(({ flowId, text }) => [flowId, text])).toEqual([
        [flow.id, 'hello'],
        [part.id, 'from the part'],
      ]);
    });

    test('records a run once, however often it is submitted, also twice in one batch', async () => {
      const flow = await makeFlow(open().database);
      const run = interactiveRun(flow, { messages: [messageRow(flow)] });
      expect(await store().record([run, run])).toEqual(new Set([run.id]));
      const late = { ...run, status: 'failed' as const, messages: [messageRow(flow)] };
      expect(await store().record([late])).toEqual(new Set());
      expect(await store().record([run], { afterUnknownOutcome: true })).toEqual(new Set([run.id]));
      expect((await store().find(flow.userId, run.id))?.status).toBe('succeeded');
      expect(
        await new MessageStore({ database: open().database }).list({ userId: flow.userId }),
      ).toHaveLength(1);
    });

    test('a redelivered run is the second attempt, and only that attempt can end it', async () => {
      const flow = await makeFlow(open().database);
      const run = interactiveRun(flow);
      expect(await begin(run)).toEqual({ attempt: 2, countedAttempts: 2 });
      expect(await store().find(flow.userId, run.id)).toMatchObject({
        status: 'running',
        attempt: 2,
        worker: 'two',
      });
      expect(await store().record([run])).toEqual(new Set());
      expect((await store().heartbeat('two', [{ runId: run.id, attempt: 2 }])).held).toEqual(
        new Set([run.id]),
      );
      expect(await store().record([{ ...run, attempt: 2 }])).toEqual(new Set([run.id]));
      expect(await begin(run)).toMatchObject({ finished: { id: run.id, status: 'succeeded', attempt: 2 } });
    });

    test('a run that crashes its executor every time is dead after its last attempt', async () => {
      const flow = await makeFlow(open().database);
      const run = interactiveRun(flow, { maximumAttempts: 3 });
      expect(await begin(run)).toEqual({ attempt: 2, countedAttempts: 2 });
      expect(await begin(run)).toEqual({ attempt: 3, countedAttempts: 3 });
      expect(await begin(run)).toEqual({ exhausted: true, lastAttempt: 3 });
      expect(await begin(run)).toMatchObject({ finished: { status: 'dead', attempt: 3 } });
      const single = interactiveRun(flow, { maximumAttempts: 1 });
      expect(await begin(single)).toEqual({ exhausted: true, lastAttempt: 1 });
      expect(await store().find(flow.userId, single.id)).toMatchObject({ status: 'dead', attempt: 1 });
    });

    test('an attempt that was handed off does not count', async () => {
      const flow = await makeFlow(open().database);
      const run = interactiveRun(flow, { maximumAttempts: 2 });
      for (let drain = 0; drain < 3; drain += 1) {
        const attempt = drain + 2;
        expect(await begin(run)).toEqual({ attempt, countedAttempts: 2 });
        await store().release([{ runId: run.id, attempt }]);
      }
    });

    test('executors that begin the same redelivery get different attempts', async () => {
      const run = interactiveRun(await makeFlow(open().database), { maximumAttempts: 20 });
      const begun = await Promise.all(Array.from({ length: 8 }, (_, index) => begin(run, `worker-${index}`)));
      expect(new Set(begun.map((answer) => 'attempt' in answer && answer.attempt)).size).toBe(8);
    });

    test('lists runs newest first, in pages, by flow and status, without their results', async () => {
      const flow = await makeFlow(open().database);
      const runs = Array.from({ length: 7 }, (_, index) =>
        interactiveRun(flow, {
          acceptedAt: new Date(Date.UTC(2026, 0, 1, 0, 0, index)),
          ...(index % 2 ? { status: 'failed', result: null, failure } : {}),
        }),
      );
      await store().record(runs);
      const newest = runs.map(({ id }) => id).reverse();
      const { userId } = flow;
      const ids = async (limit: number, filter: Partial<RunFilter> = {}, before?: string) =>
        (await store().list({ userId, ...filter }, { limit, before })).runs.map(({ id }) => id);
      expect(await ids(100)).toEqual(newest);
      expect(await ids(3)).toEqual(newest.slice(0, 3));
      expect(await ids(3, {}, newest[2])).toEqual(newest.slice(3, 6));
      expect(await ids(100, { statuses: ['failed'], flowId: flow.id })).toHaveLength(3);
      const other = await makeFlow(open().database);
      expect(await ids(100, { flowId: other.id })).toEqual([]);
      expect(await ids(100, { userId: other.userId, flowId: flow.id })).toEqual([]);
      const { runs: found } = await store().list({ userId }, { limit: 1 });
      expect(found[0]).toMatchObject({ result: null, resultText: null, request: null, status: 'succeeded' });
    });

    test('pages runs accepted in one batch without gaps', async () => {
      const flow = await makeFlow(open().database);
      await store().record(
        Array.from({ length: 25 }, () => interactiveRun(flow, { acceptedAt: new Date(0) })),
      );
      const seen: string[] = [];
      for (let page = 0; page < 5; page += 1) {
        const found = await store().list({ userId: flow.userId }, { limit: 6, before: seen.at(-1) });
        seen.push(...found.runs.map(({ id }) => id));
      }
      expect(new Set(seen).size).toBe(25);
    });
  });
}
