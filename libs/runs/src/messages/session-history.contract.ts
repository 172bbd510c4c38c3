import type { KeyValueStore } from '@millrace/key-value';
import { LongTexts } from '@millrace/messages';
import { createLogger } from '@millrace/service';
import type { FlowRecord } from '../flows/flow-record';
import { RunStore } from '../runs/run-store';
import { shareLongTexts } from './message-columns';
import type { MessageRow } from './message-row';
import { MessageStore } from './message-store';
import { SessionHistory } from './session-history';
import type { RecentFilter } from './session-history';
import type { TestDatabase } from '../testing/open-test-database';
import { interactiveRun, makeFlow, messageRow } from '../testing/test-parts';

export interface TestStores {
  readonly stored: TestDatabase;
  readonly keyValue: KeyValueStore;
}

/** Contract of SessionHistory, on any pair of stores. */
export function describeSessionHistory(name: string, open: () => TestStores): void {
  describe(`session history (${name})`, () => {
    const logger = createLogger({ name: 'test', level: 'silent' });
    const messages = () => new MessageStore({ database: open().stored.database });
    const history = (options: { keptMessages?: number; messages?: MessageStore } = {}) =>
      new SessionHistory({ keyValue: open().keyValue, logger, messages: messages(), ...options });
    const archive = (flow: FlowRecord, ...rows: MessageRow[]) =>
      new RunStore({ database: open().stored.database }).record([interactiveRun(flow, { messages: rows })]);
    let second = 0;
    const row = (flow: FlowRecord, text: string, changes: Partial<MessageRow> = {}) =>
      messageRow(flow, { text, timestamp: new Date(Date.UTC(2026, 0, 1) + (second += 1)), ...changes });
    const recent = async (from: SessionHistory, flow: FlowRecord, filter: Partial<RecentFilter> = {}) =>
      (await from.recent(flow.userId, flow.id, 'session', { limit: 100, ...filter })).map(({ text }) => text);
    const append = (to: SessionHistory, flow: FlowRecord, ...rows: MessageRow[]) =>
      to.append(flow.userId, flow.id, 'session', rows);

    test('appended messages are readable at once and unchanged, also from another process', async () => {
      const flow = await makeFlow(open().stored.database);
      const rows = [row(flow, 'a'), row(flow, 'b', { sender: 'Machine', sessionMetadata: { x: 1 } })];
      expect(await append(history(), flow, ...rows)).toBe(true);
      expect(await history().recent(flow.userId, flow.id, 'session', { limit: 10 })).toEqual(rows);
      expect(await recent(history(), flow, { limit: 1 })).toEqual(['b']);
      expect(await recent(history(), flow, { limit: 0 })).toEqual([]);
    });

    test('messages with long texts that are escaped once stay unchanged in both stores', async () => {
      const flow = await makeFlow(open().stored.database);
      const text = 'é"\\\u0000😀\ud800\n'.repeat(500);
      const rows = [row(flow, text), row(flow, 'short'), row(flow, text, { properties: { source: text } })];
      shareLongTexts(rows, new LongTexts(rows.map((one) => one.text)));
      const found = () => history().recent(flow.userId, flow.id, 'session', { limit: 10 });
      expect(await append(history(), flow, ...rows)).toBe(true);
      expect(await found()).toEqual(rows);
      await archive(flow, ...rows);
      await history().invalidate([{ userId: flow.userId, flowId: flow.id, sessionId: 'session' }]);
      const runId: unknown = expect.any(String);
      expect(await found()).toEqual(rows.map((one) => ({ ...one, runId })));
    });

    test('a hot list that began late is not treated as the whole session', async () => {
      const flow = await makeFlow(open().stored.database);
      await archive(flow, row(flow, 'old 1'), row(flow, 'old 2'));
      await append(history(), flow, row(flow, 'new'));
      expect(await recent(history(), flow)).toEqual(['old 1', 'old 2', 'new']);
      expect(await recent(history(), flow, { limit: 2 })).toEqual(['old 2', 'new']);
      await append(history(), flow, row(flow, 'newer'));
      expect(await recent(history(), flow)).toEqual(['old 1', 'old 2', 'new', 'newer']);
    });

    test('returns a message once when both stores have it', async () => {
      const flow = await makeFlow(open().stored.database);
      const both = [row(flow, 'a'), row(flow, 'b')];
      await append(history(), flow, ...both);
      await archive(flow, ...both);
      for (let read = 0; read < 3; read += 1) expect(await recent(history(), flow)).toEqual(['a', 'b']);
    });

    test('after the first read a session is served without the archive', async () => {
      const flow = await makeFlow(open().stored.database);
      await archive(flow, row(flow, 'old'));
      expect(await recent(history(), flow)).toEqual(['old']);
      await append(history(), flow, row(flow, 'new'));
      await open().stored.database.query({
        text: 'DELETE FROM messages WHERE flow_id = $1',
        values: [flow.id],
      });
      expect(await recent(history(), flow)).toEqual(['old', 'new']);
    });

    test('messages of flows that read no session get no hot copy before a read', async () => {
      const flow = await makeFlow(open().stored.database);
      const hotLists = () => open().keyValue.keys(`session:${flow.userId}`, 10);
      const add = async (message: MessageRow) => {
        await archive(flow, message);
        await history().appendIfRead(flow.userId, flow.id, 'session', [message]);
      };
      await add(row(flow, 'a'));
      expect(await hotLists()).toEqual([]);
      expect(await recent(history(), flow)).toEqual(['a']);
      await add(row(flow, 'b'));
      expect(await hotLists()).toHaveLength(1);
      await open().stored.database.query({
        text: 'DELETE FROM messages WHERE flow_id = $1',
        values: [flow.id],
      });
      expect(await recent(history(), flow)).toEqual(['a', 'b']);
    });

    test('a first reader loses no message that is committed while it reads the archive', async () => {
      const flow = await makeFlow(open().stored.database);
      await archive(flow, row(flow, 'a'));
      const store = messages();
      const list = store.list.bind(store);
      let isFirst = true;
      store.list = async (filter) => {
        const rows = await list(filter);
        if (!isFirst) return rows;
        isFirst = false;
        const late = row(flow, 'b');
        await archive(flow, late);
        await history().appendIfRead(flow.userId, flow.id, 'session', [late]);
        return rows;
      };
      await recent(history({ messages: store }), flow);
      expect(isFirst).toBe(false);
      for (let read = 0; read < 3; read += 1) expect(await recent(history(), flow)).toEqual(['a', 'b']);
    });

    test('a first reader that does not reach the archive leaves the hot copy to the next one', async () => {
      const flow = await makeFlow(open().stored.database);
      await archive(flow, row(flow, 'a'));
      const store = messages();
      const list = store.list.bind(store);
      store.list = () => Promise.reject(new Error('the archive is away'));
      await expect(recent(history({ messages: store }), flow)).rejects.toThrow('the archive is away');
      let reads = 0;
      store.list = (filter) => {
        reads += 1;
        return list(filter);
      };
      for (let read = 0; read < 2; read += 1)
        expect(await recent(history({ messages: store }), flow)).toEqual(['a']);
      const readsOfFirst = reads;
      for (let read = 0; read < 3; read += 1)
        expect(await recent(history({ messages: store }), flow)).toEqual(['a']);
      expect(reads).toBe(readsOfFirst);
    });

    test('concurrent first readers and writers lose no message', async () => {
      const flow = await makeFlow(open().stored.database);
      const rows = Array.from({ length: 60 }, (_, index) => row(flow, `${index}`));
      await archive(flow, ...rows.slice(0, 30));
      await Promise.all(
        rows.slice(30).map(async (message) => {
          const one = history();
          await append(one, flow, message);
          await recent(one, flow);
        }),
      );
      expect(await recent(history(), flow)).toEqual(rows.map(({ text }) => text));
    });

    test('caches a long session up to a length and reads the rest from the archive', async () => {
      const flow = await makeFlow(open().stored.database);
      const short = history({ keptMessages: 20 });
      const rows = Array.from({ length: 50 }, (_, index) => row(flow, `${index}`));
      for (const message of rows) {
        await append(short, flow, message);
        await archive(flow, message);
        if (message === rows[10]) await recent(short, flow);
      }
      const all = rows.map(({ text }) => text);
      expect(await recent(short, flow, { limit: 10 })).toEqual(all.slice(-10));
      expect(await recent(short, flow, { limit: 19 })).toEqual(all.slice(-19));
      expect(await recent(short, flow, { limit: 35 })).toEqual(all.slice(-35));
      expect(await recent(short, flow)).toEqual(all);
    });

    test('filters find old messages, and error messages are excluded', async () => {
      const flow = await makeFlow(open().stored.database);
      const early = row(flow, 'early', { sender: 'Machine', senderName: 'AI', contextId: 'c' });
      await archive(flow, early, ...Array.from({ length: 150 }, (_, index) => row(flow, `${index}`)));
      await append(history(), flow, row(flow, 'boom', { error: true, sender: 'Machine' }));
      for (const filter of [{ sender: 'Machine' }, { senderName: 'AI' }, { contextId: 'c' }]) {
        expect(await recent(history(), flow, filter)).toEqual(['early']);
        expect(await recent(history(), flow, { ...filter, limit: 1 })).toEqual(['early']);
      }
    });

    test('separates sessions by flow, user and id', async () => {
      const [flow, other] = [await makeFlow(open().stored.database), await makeFlow(open().stored.database)];
      const long = 'x'.repeat(300);
      await append(history(), flow, row(flow, 'secret'));
      await history().append(flow.userId, flow.id, long, [row(flow, 'long', { sessionId: long })]);
      expect(await recent(history(), other)).toEqual([]);
      expect(await history().recent(flow.userId, other.id, 'session', { limit: 9 })).toEqual([]);
      expect(await history().recent(flow.userId, flow.id, `${long}x`, { limit: 9 })).toEqual([]);
      expect(await history().recent(flow.userId, flow.id, long, { limit: 9 })).toHaveLength(1);
    });

    test('edits are visible, and a deleted flow leaves no messages', async () => {
      const flow = await makeFlow(open().stored.database);
      const shared = messages();
      const one = history({ messages: shared });
      const rows = [row(flow, 'a'), row(flow, 'b')];
      await append(one, flow, ...rows);
      await archive(flow, ...rows);
      await recent(one, flow);
      await shared.update(flow.userId, rows[0]!.id, () => ({ text: 'A' }));
      expect(await recent(history(), flow)).toEqual(['A', 'b']);
      await shared.delete(flow.userId, [rows[1]!.id]);
      expect(await recent(history(), flow)).toEqual(['A']);
      await shared.renameSession(flow.userId, 'session', 'renamed');
      expect(await recent(history(), flow)).toEqual([]);
      await shared.renameSession(flow.userId, 'renamed', 'session');
      await one.invalidateFlow(flow.userId, flow.id);
      await open().stored.database.query({
        text: 'DELETE FROM messages WHERE flow_id = $1',
        values: [flow.id],
      });
      expect(await recent(history(), flow)).toEqual([]);
    });
  });
}
