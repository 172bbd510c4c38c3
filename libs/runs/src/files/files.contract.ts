import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { FlowStore } from '../flows/flow-store';
import { RunStore } from '../runs/run-store';
import { FileStore } from './file-store';
import type { ObjectStore } from '../objects/object-store';
import type { TestDatabase } from '../testing/open-test-database';
import { makeFlow, makeUser, newRun } from '../testing/test-parts';

/** Contract of FileStore, on any database; all contents are in it unless an object store is given. */
export function describeFiles(
  databaseName: string,
  open: () => TestDatabase,
  objects: () => ObjectStore | null = () => null,
): void {
  describe(`files (${databaseName})`, () => {
    const files = () => new FileStore({ database: open().database, objects: objects() });
    const bytes = (...parts: (string | Buffer)[]) => Readable.from(parts.map((part) => Buffer.from(part)));
    const read = async (store: FileStore, file: Parameters<FileStore['content']>[0]) => {
      const chunks: Buffer[] = [];
      for await (const chunk of store.content(file)) chunks.push(chunk);
      return Buffer.concat(chunks);
    };

    test('returns a file byte for byte, regardless of the chunks it arrived in', async () => {
      const user = await makeUser(open().database);
      const content = randomBytes(1_000_000);
      const pieces = [content.subarray(0, 7), content.subarray(7, 600_000), content.subarray(600_000)];
      const file = { userId: user.id, flowId: null, name: 'picture', extension: '.png' };
      const stored = await files().receive(file, Readable.from(pieces));
      expect(stored).toMatchObject({ ...file, path: `${user.id}/picture.png`, sizeBytes: 1_000_000 });
      // Jest compares a buffer byte by byte, which takes seconds.
      expect((await read(files(), stored!)).equals(content)).toBe(true);
      expect(await files().find(user.id, stored!.id)).toEqual(stored);
      expect(await files().findByPath(user.id, stored!.path)).toEqual(stored);
    }, 60_000);

    test('stores an empty file', async () => {
      const user = await makeUser(open().database);
      const stored = await files().receive(
        { userId: user.id, flowId: null, name: 'empty', extension: '' },
        bytes(),
      );
      expect(stored?.sizeBytes).toBe(0);
      expect(await read(files(), stored!)).toHaveLength(0);
    });

    test('leaves nothing of a file when what is to be stored with it fails', async () => {
      const user = await makeUser(open().database);
      const file = { userId: user.id, flowId: null, name: 'unrecorded', extension: '' };
      const fail = () => Promise.reject(new Error('no entry in the audit log'));
      await expect(files().receive(file, bytes('x'), fail)).rejects.toThrow('no entry in the audit log');
      const left = { text: 'SELECT FROM files WHERE user_id = $1', values: [user.id] };
      expect((await open().database.query(left)).rowCount).toBe(0);
    });

    test('files of a webhook are kept with its run, and deleted without it', async () => {
      const flow = await makeFlow(open().database);
      const receive = (name: string, awaitsRun: string) =>
        files().receive({ userId: flow.userId, flowId: null, name, extension: '', awaitsRun }, bytes('x'));
      const names = async () => (await files().list(flow.userId, null)).map(({ name }) => name).sort();
      const ids = Array.from({ length: 4 }, () => newRun(flow).id) as [string, string, string, string];
      for (const [index, id] of ids.entries()) await receive(`file-${index}`, id);
      await files().keepOfRun(ids[0]);
      await files().deleteOfRun(ids[1]);
      expect(await names()).toEqual(['file-0', 'file-2', 'file-3']);
      // The process ended before it knew whether the run was stored.
      await new RunStore({ database: open().database }).accept([{ ...newRun(flow), id: ids[2] }]);
      expect(await files().settleAwaiting()).toBe(0);
      await open().database.query({
        text: `UPDATE files SET created_at = now() - interval '2 hours' WHERE user_id = $1`,
        values: [flow.userId],
      });
      expect(await files().settleAwaiting()).toBe(1);
      expect(await names()).toEqual(['file-0', 'file-2']);
      expect(await files().settleAwaiting()).toBe(0);
    });

    test('a name that is taken gets a number', async () => {
      const user = await makeUser(open().database);
      const file = { userId: user.id, flowId: null, name: 'letter', extension: '.txt' };
      const names = [];
      for (const text of ['a', 'b', 'c']) names.push((await files().receive(file, bytes(text)))?.name);
      expect(names).toEqual(['letter', 'letter (1)', 'letter (2)']);
      const all = await files().list(user.id, null);
      expect(await files().rename(user.id, all[2]!.id, 'letter')).toMatchObject({
        name: 'letter (2)',
        path: `${user.id}/letter (2).txt`,
      });
    });

    test('a name with which others begin gets a number, and so does an empty one beside any file', async () => {
      const user = await makeUser(open().database);
      const store = async (name: string, extension: string) =>
        (await files().receive({ userId: user.id, flowId: null, name, extension }, bytes('x')))?.path.slice(
          37,
        );
      expect(await store('letters', '.txt')).toBe('letters.txt');
      expect(await store('letter', '.csv')).toBe('letter (1).csv');
      expect(await store('let', '.txt')).toBe('let (2).txt');
      expect(await store('', '.hidden')).toBe(' (3).hidden');
      expect(await store('other', '')).toBe('other');
      const ofWebhook = {
        userId: user.id,
        flowId: null,
        name: 'lett',
        extension: '.txt',
        awaitsRun: randomUUID(),
      };
      expect(await files().receive(ofWebhook, bytes('x'))).toMatchObject({ name: 'lett' });
    });

    test('a renamed file keeps its path, which no other file gets', async () => {
      const user = await makeUser(open().database);
      const file = { userId: user.id, flowId: null, name: 'letter', extension: '.txt' };
      const { id } = (await files().receive(file, bytes('a')))!;
      const path = `${user.id}/letter.txt`;
      expect(await files().rename(user.id, id, 'note')).toMatchObject({ name: 'note', path });
      expect((await files().receive(file, bytes('b')))?.path).toBe(`${user.id}/letter (1).txt`);
      expect((await files().receive({ ...file, name: 'note' }, bytes('c')))?.path).toBe(
        `${user.id}/note (1).txt`,
      );
      expect(await files().rename(user.id, id, 'letter')).toMatchObject({ name: 'letter', path });
    });

    test('two files never share a path, however it splits into name and extension', async () => {
      const user = await makeUser(open().database);
      const dotted = { userId: user.id, flowId: null, name: 'a', extension: '.b' };
      await files().receive(dotted, bytes('1'));
      const other = await files().receive({ ...dotted, name: 'a.b', extension: '' }, bytes('2'));
      expect(other?.path).toBe(`${user.id}/a.b (1)`);
    });

    test('concurrent uploads with one name get different names', async () => {
      const user = await makeUser(open().database);
      const file = { userId: user.id, flowId: null, name: 'same', extension: '' };
      const stored = await Promise.all(
        ['1', '2', '3', '4'].map((text) => files().receive(file, bytes(text))),
      );
      expect(new Set(stored.map((one) => one?.path)).size).toBe(4);
    });

    test('replaces the file of the same name once the new one is complete', async () => {
      const user = await makeUser(open().database);
      const file = { userId: user.id, flowId: null, name: 'report', extension: '.csv' };
      const first = await files().replace(file, bytes('old'));
      async function* broken() {
        yield Buffer.from('half');
        throw new Error('connection lost');
      }
      await expect(files().replace(file, broken())).rejects.toThrow('connection lost');
      expect(await read(files(), first!)).toEqual(Buffer.from('old'));
      const second = await files().replace(file, bytes('new'));
      expect(second).toMatchObject({ path: `${user.id}/report.csv`, name: 'report' });
      expect(await read(files(), second!)).toEqual(Buffer.from('new'));
      expect(await files().list(user.id, null)).toEqual([second]);
    });

    test('concurrent replacements under one name leave one complete file', async () => {
      const user = await makeUser(open().database);
      const file = { userId: user.id, flowId: null, name: 'same', extension: '.txt' };
      await Promise.all(['aa', 'bb', 'cc'].map((text) => files().replace(file, bytes(text))));
      const [left, ...others] = await files().list(user.id, null);
      expect(others).toEqual([]);
      expect((await read(files(), left!)).toString()).toMatch(/^(aa|bb|cc)$/);
    });

    test("a run reads the user's own files and those of its flow, not those of another flow", async () => {
      const [flow, other] = [await makeFlow(open().database), await makeFlow(open().database)];
      const second = await new FlowStore({ database: open().database }).create(flow.userId, {
        name: 'second',
        document: { nodes: [], edges: [] },
      });
      const store = (userId: string, flowId: string | null, name: string) =>
        files().receive({ userId, flowId, name, extension: '.txt' }, bytes(name));
      const mine = await store(flow.userId, null, 'mine');
      const ofFlow = await store(flow.userId, flow.id, 'flow');
      await store(flow.userId, second.id, 'second');
      await store(other.userId, null, 'stranger');
      expect(await files().listForRun(flow.userId, flow.id, 10)).toEqual([mine, ofFlow]);
      expect(await files().listForRun(flow.userId, flow.id, 1)).toEqual([mine]);
    });

    test('an interrupted upload leaves nothing behind', async () => {
      const user = await makeUser(open().database);
      async function* broken() {
        yield Buffer.alloc(300_000);
        throw new Error('connection lost');
      }
      const file = { userId: user.id, flowId: null, name: 'half', extension: '' };
      await expect(files().receive(file, broken())).rejects.toThrow('connection lost');
      const { rows } = await open().database.query({
        text: 'SELECT id FROM files WHERE user_id = $1',
        values: [user.id],
      });
      expect(rows).toEqual([]);
    });

    test("no other user reads, renames or deletes a user's file", async () => {
      const [user, other] = [await makeUser(open().database), await makeUser(open().database)];
      const stored = await files().receive(
        { userId: user.id, flowId: null, name: 'mine', extension: '' },
        bytes('x'),
      );
      expect(await files().find(other.id, stored!.id)).toBeNull();
      expect(await files().findByPath(other.id, stored!.path)).toBeNull();
      expect(await files().rename(other.id, stored!.id, 'theirs')).toBeNull();
      expect(await files().delete(other.id, stored!.id)).toBe(false);
      expect(await files().deleteAll(other.id)).toBe(0);
      expect(await files().delete(user.id, stored!.id)).toBe(true);
      await expect(read(files(), stored!)).rejects.toMatchObject({ code: 'file_gone' });
    });

    test("deleting a flow deletes its files, and a user cannot add files to another user's flow", async () => {
      const flow = await makeFlow(open().database);
      const stranger = await makeUser(open().database);
      const file = { userId: flow.userId, flowId: flow.id, name: 'a', extension: '.txt' };
      const stored = await files().receive(file, bytes('x'));
      expect(stored?.path).toBe(`${flow.id}/a.txt`);
      expect(await files().list(flow.userId, flow.id)).toEqual([stored]);
      expect(await files().list(flow.userId, null)).toEqual([]);
      expect(await files().receive({ ...file, userId: stranger.id }, bytes('y'))).toBeNull();
      await new FlowStore({ database: open().database }).delete(flow.userId, flow.id);
      expect(await files().list(flow.userId, flow.id)).toEqual([]);
    });
  });
}
