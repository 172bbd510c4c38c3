import { randomUUID } from 'node:crypto';
import type { FlowRecord } from '../flows/flow-record';
import { RunStore } from '../runs/run-store';
import { listConversations, readConversation } from '../runs/search/conversations';
import type { MessagePosition } from '../runs/search/conversations';
import type { RunPosition } from '../runs/search/run-filter';
import type { MessageFilter } from './list-messages';
import type { MessageRow } from './message-row';
import { MessageStore } from './message-store';
import type { SessionKey } from './message-store';
import type { TestDatabase } from '../testing/open-test-database';
import { interactiveRun, makeFlow, messageRow } from '../testing/test-parts';

/** Contract of MessageStore, on any database. */
export function describeMessages(name: string, open: () => TestDatabase): void {
  describe(`messages (${name})`, () => {
    const store = () => new MessageStore({ database: open().database });
    const save = async (flow: FlowRecord, ...changes: Partial<MessageRow>[]) => {
      const messages = changes.map((change) => messageRow(flow, change));
      const run = interactiveRun(flow, { messages });
      await new RunStore({ database: open().database }).record([run]);
      return messages.map((message) => ({ ...message, runId: run.id }));
    };
    const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
    const texts = (rows: readonly MessageRow[]) => rows.map(({ text }) => text);

    test('returns a message as it was stored, whatever characters its text contains', async () => {
      const flow = await makeFlow(open().database);
      const saved = await save(flow, {
        text: 'zero \u0000 lone \ud800 smile 😀',
        files: ['a.txt'],
        error: true,
        edit: true,
        properties: { source: { id: 'x' }, targets: [] },
        category: 'error',
        contentBlocks: [{ title: 't' }],
        duration: 12,
        sessionMetadata: { graph_run_id: 'r' },
        contextId: 'c',
      });
      expect(await store().list({ userId: flow.userId })).toEqual(saved);
    });

    test('an unusual sender or session id never fails its batch', async () => {
      const flow = await makeFlow(open().database);
      await save(
        flow,
        { sender: 'a\u0000b', sessionId: `s\u0000${'long'.repeat(5_000)}` },
        { text: 'neighbour' },
      );
      const rows = await store().list({ userId: flow.userId });
      expect(rows.map(({ sender }) => sender)).toEqual(['a\uFFFDb', 'User']);
      expect(await store().list({ userId: flow.userId, sessionId: rows[0]!.sessionId })).toHaveLength(1);
    });

    test('lists messages by time, then in the order of storage, and filters them', async () => {
      const flow = await makeFlow(open().database);
      await save(flow, { text: '3', timestamp: at(3), sender: 'Machine', senderName: 'AI' });
      await save(flow, { text: '1', timestamp: at(1) }, { text: '2', timestamp: at(1), contextId: 'c' });
      await save(flow, { text: '4', timestamp: at(4), sessionId: 'other', error: true });
      const list = async (filter: Partial<Parameters<MessageStore['list']>[0]>) =>
        texts(await store().list({ userId: flow.userId, ...filter }));
      expect(await list({})).toEqual(['1', '2', '3', '4']);
      expect(await list({ order: 'descending', limit: 2 })).toEqual(['4', '3']);
      expect(await list({ limit: 2, offset: 1 })).toEqual(['2', '3']);
      expect(await list({ flowId: flow.id, sessionId: 'session' })).toEqual(['1', '2', '3']);
      expect(await list({ sender: 'Machine' })).toEqual(['3']);
      expect(await list({ senderName: 'AI', sessionId: 'session' })).toEqual(['3']);
      expect(await list({ contextId: 'c' })).toEqual(['2']);
      expect(await list({ errors: false })).toEqual(['1', '2', '3']);
      expect(await list({ orderBy: 'sender' })).toEqual(['3', '1', '2', '4']);
      expect(await list({ orderBy: 'text', order: 'descending' })).toEqual(['4', '3', '2', '1']);
      expect(await list({ flowId: randomUUID() })).toEqual([]);
      expect(await store().list({ userId: randomUUID(), flowId: flow.id })).toEqual([]);
      const newest = (filter: Partial<MessageFilter>) => list({ isNewest: true, limit: 3, ...filter });
      expect(await newest({})).toEqual(['2', '3', '4']);
      expect(await newest({ order: 'descending', offset: 1 })).toEqual(['3', '2', '1']);
      expect(await newest({ orderBy: 'sender' })).toEqual(['3', '4', '2']);
      expect(await newest({ orderBy: 'sender', order: 'descending' })).toEqual(['4', '2', '3']);
    });

    test('orders messages by text, whatever characters it contains', async () => {
      const flow = await makeFlow(open().database);
      const ordered = ['', 'B', 'a', 'a b', 'a"b', 'b\\', 'b\u0000', 'c\ud800', 'é'];
      await save(flow, ...ordered.toReversed().map((text) => ({ text, timestamp: at(1) })));
      expect(texts(await store().list({ userId: flow.userId, orderBy: 'text' }))).toEqual(ordered);
    });

    test('lists sessions in order, for a user or a flow', async () => {
      const flow = await makeFlow(open().database);
      await save(flow, { sessionId: 'z-b' }, { sessionId: 'z-a' }, { sessionId: 'z-a' });
      expect(await store().sessions({ userId: flow.userId })).toEqual(['z-a', 'z-b']);
      expect(await store().sessions({ userId: flow.userId, flowId: flow.id })).toEqual(['z-a', 'z-b']);
      expect(await store().sessions({ userId: flow.userId, prefix: 'z-b' })).toEqual(['z-b']);
      expect(await store().sessions({ userId: flow.userId, flowId: randomUUID() })).toEqual([]);
      expect(await store().sessions({ userId: randomUUID(), flowId: flow.id })).toEqual([]);
    });

    test('lists the sessions with the newest messages first, in pages', async () => {
      const flow = await makeFlow(open().database);
      await save(
        flow,
        { sessionId: 'old', timestamp: at(1) },
        { sessionId: 'active', timestamp: at(2) },
        { sessionId: 'new', timestamp: at(3) },
        { sessionId: 'active', timestamp: at(4) },
        { sessionId: 'even', timestamp: at(4) },
      );
      const page = (limit: number, offset: number) =>
        store().sessions({ userId: flow.userId, newest: { limit, offset } });
      expect(await page(10, 0)).toEqual(['even', 'active', 'new', 'old']);
      expect(await page(2, 1)).toEqual(['active', 'new']);
      expect(await page(2, 4)).toEqual([]);
    });

    test('lists conversations once, that with the newest run first, in pages, each with its last message', async () => {
      const { database } = open();
      const flow = await makeFlow(database);
      const turn = async (sessionId: string, second: number) => {
        const message = messageRow(flow, {
          sessionId,
          text: `${sessionId} "${second}"`,
          timestamp: at(second),
        });
        const run = interactiveRun(flow, { sessionId, messages: [message], acceptedAt: at(second) });
        await new RunStore({ database }).record([run]);
        return run.id;
      };
      for (const [second, session] of ['c', 'b', 'a', 'c', flow.id, 'a', 'a'].entries())
        await turn(session, second);
      const newest = await turn('b', 9);
      const page = (limit: number, after?: RunPosition, filter = {}) =>
        listConversations(database, { userId: flow.userId, ...filter }, { limit, after });
      const first = await page(2);
      expect(first.conversations).toMatchObject([
        { flowId: flow.id, sessionId: 'b', run: { id: newest }, last: { sender: 'User', text: 'b "9"' } },
        { sessionId: 'a', last: { text: 'a "6"' } },
      ]);
      const second = await page(2, first.next ?? undefined);
      expect(second).toMatchObject({ conversations: [{ sessionId: 'c' }], next: null });
      const all = await page(9);
      expect(all.conversations.map(({ sessionId }) => sessionId)).toEqual(['b', 'a', flow.id, 'c']);
      expect(await page(9, undefined, { sessionId: 'c' })).toMatchObject({
        conversations: [{ sessionId: 'c', last: { text: 'c "3"' } }],
      });
      const stranger = await listConversations(
        database,
        { userId: randomUUID(), flowId: flow.id },
        { limit: 9 },
      );
      expect(stranger).toEqual({ conversations: [], next: null });
    });

    test('reads a conversation from its end, in pages of a bounded size', async () => {
      const flow = await makeFlow(open().database);
      const long = 'x'.repeat(1_500_000);
      await save(flow, { text: '1', timestamp: at(1) }, { text: long, timestamp: at(2) });
      await save(flow, { text: long, timestamp: at(2) }, { text: '4', timestamp: at(4) });
      await save(flow, { text: 'other', sessionId: 'other' });
      const wanted = { userId: flow.userId, flowId: flow.id, sessionId: 'session' };
      const pages: number[][] = [];
      let after: MessagePosition | undefined;
      do {
        const page = await readConversation(open().database, { ...wanted, limit: 3, after });
        pages.push(page.messages.map(({ text }) => text.length));
        after = page.next ?? undefined;
      } while (after !== undefined);
      expect(pages).toEqual([[1, 1_500_000, 1_500_000], [1]]);
      const [page] = [await readConversation(open().database, { ...wanted, limit: 1 })];
      expect([texts(page.messages), page.next]).toEqual([['4'], expect.anything()]);
      expect(await readConversation(open().database, { ...wanted, userId: randomUUID(), limit: 3 })).toEqual({
        messages: [],
        next: null,
      });
    });

    test('a user changes and deletes only their own messages', async () => {
      const [flow, other] = [await makeFlow(open().database), await makeFlow(open().database)];
      const [first, second] = await save(
        flow,
        { text: 'typo', timestamp: at(1) },
        { text: 'b', timestamp: at(2) },
      );
      expect(await store().update(other.userId, first!.id, () => ({ text: 'x' }))).toBeNull();
      expect(await store().update(flow.userId, first!.id, () => ({ text: 'fixed', edit: true }))).toEqual({
        ...first,
        text: 'fixed',
        edit: true,
      });
      expect(await store().delete(other.userId, [first!.id, second!.id])).toBe(0);
      expect(await store().delete(flow.userId, [first!.id, randomUUID()])).toBe(1);
      expect(texts(await store().list({ userId: flow.userId }))).toEqual(['b']);
    });

    test('renames and deletes all messages of a session, for its user only', async () => {
      const [flow, other] = [await makeFlow(open().database), await makeFlow(open().database)];
      for (const one of [flow, other]) {
        await save(
          one,
          { text: '1', timestamp: at(1), sessionId: 'r' },
          { text: '2', timestamp: at(2), sessionId: 'r' },
        );
      }
      const renamed = await store().renameSession(flow.userId, 'r', 'new');
      expect(renamed.map(({ text, sessionId }) => [text, sessionId])).toEqual([
        ['1', 'new'],
        ['2', 'new'],
      ]);
      expect(await store().renameSession(flow.userId, 'none', 'q')).toEqual([]);
      expect(await store().sessions({ userId: other.userId })).toEqual(['r']);
      expect(await store().deleteSession(flow.userId, 'r')).toBe(0);
      expect(await store().deleteSession(flow.userId, 'new')).toBe(2);
      expect(await store().sessions({ userId: flow.userId })).toEqual([]);
    });

    test('notifies listeners of each session that a user edits', async () => {
      const flow = await makeFlow(open().database);
      const [message] = await save(flow, { sessionId: 'a' });
      const notified: SessionKey[] = [];
      const messages = store();
      messages.onChanged(async (places) => void notified.push(...places));
      const sessionKey = (sessionId: string) => ({ userId: flow.userId, flowId: flow.id, sessionId });
      await messages.update(flow.userId, message!.id, () => ({ text: 'x' }));
      await messages.renameSession(flow.userId, 'a', 'b');
      await messages.update(flow.userId, message!.id, () => ({ sessionId: 'c', contextId: 'd' }));
      expect(await messages.list({ userId: flow.userId, contextId: 'd' })).toMatchObject([
        { sessionId: 'c' },
      ]);
      await messages.delete(flow.userId, [message!.id]);
      await messages.deleteSession(flow.userId, 'c');
      expect(notified).toEqual(['a', 'b', 'a', 'c', 'b', 'c'].map(sessionKey));
    });
  });
}
