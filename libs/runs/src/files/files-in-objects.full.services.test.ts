import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '@millrace/database';
import { startObjectServer } from '@millrace/scaled-system';
import type { ObjectServer } from '@millrace/scaled-system';
import { createLogger } from '@millrace/service';
import { untilSuccess } from '@millrace/service/testing';
import { FlowStore } from '../flows/flow-store';
import { ObjectDeletions } from '../objects/object-deletions';
import type { ObjectStore } from '../objects/object-store';
import { openObjectStore } from '../objects/open-object-store';
import { openNewDatabase } from '../testing/open-test-database';
import { makeFlow, makeUser } from '../testing/test-parts';
import { UserStore } from '../users/user-store';
import type { FileRecord, NewFile } from './file-record';
import { FileStore } from './file-store';
import { describeFiles } from './files.contract';
import { moveFiles } from './move-files';

const LARGE = 700_000;
const never = new AbortController().signal;

let server: ObjectServer;
let objects: ObjectStore;
let opened: Awaited<ReturnType<typeof openNewDatabase>>;

beforeAll(async () => {
  server = await startObjectServer({ program: process.env['SEAWEED'] ?? '' });
  objects = openObjectStore({ url: server.url })!;
  opened = await openNewDatabase();
});
afterAll(async () => {
  await opened?.close();
  await objects?.close();
  await server?.stop();
});

describeFiles(
  'PostgreSQL and objects',
  () => opened,
  () => objects,
);

const files = (store: ObjectStore | null = objects) =>
  new FileStore({ database: opened.database, objects: store });
const deletions = (orphanAfterMilliseconds = 0) =>
  new ObjectDeletions({ database: opened.database, objects, orphanAfterMilliseconds });
const query = async <Row>(text: string, values: readonly unknown[] = []) =>
  (await opened.database.query<Row>({ text, values })).rows;
const chunks = async (id: string) =>
  (await query<{ n: number }>('SELECT count(*)::int AS n FROM file_chunks WHERE file_id = $1', [id]))[0]?.n;
const keyOf = async (id: string) =>
  (await query<{ key: string | null }>('SELECT object_key AS key FROM files WHERE id = $1', [id]))[0]?.key ??
  null;
const stored = async () => {
  const found: string[] = [];
  let next: string | null = null;
  do {
    const page = await objects.list('', next);
    found.push(...page.objects.map(({ key }) => key));
    next = page.next;
  } while (next !== null);
  return found;
};
const read = async (store: FileStore, file: FileRecord) => {
  const parts: Buffer[] = [];
  for await (const part of store.content(file)) parts.push(part);
  return Buffer.concat(parts);
};
const once = async function* (...parts: Buffer[]) {
  yield* parts;
};
const receive = async (
  file: Partial<NewFile> & Pick<NewFile, 'userId'>,
  content = randomBytes(LARGE),
  store = files(),
) => {
  const record = await store.receive({ flowId: null, name: 'large', extension: '', ...file }, once(content));
  return { record: record!, content };
};
/** Everything that is due; no object of this test's files is left by others. */
const clean = async () => {
  for (;;) {
    const { deleted, failure } = await deletions().deleteDue();
    expect(failure).toBeNull();
    if (deleted === 0) return;
  }
};

test('only the contents above 256 KiB are objects, which other processes read', async () => {
  const user = await makeUser(opened.database);
  const small = await receive({ userId: user.id }, randomBytes(262_144));
  const large = await receive({ userId: user.id }, randomBytes(262_145));
  expect([await keyOf(small.record.id), await chunks(small.record.id)]).toEqual([null, 1]);
  expect([await keyOf(large.record.id), await chunks(large.record.id)]).toEqual([
    expect.stringMatching(new RegExp(`^[0-9a-f-]{36}/files/${large.record.id}$`)),
    0,
  ]);
  for (const { record, content } of [small, large])
    expect((await read(files(), record)).equals(content)).toBe(true);
  // Files of the database stay readable, and those in objects are named when the store is not configured.
  expect((await read(files(null), small.record)).equals(small.content)).toBe(true);
  await expect(read(files(null), large.record)).rejects.toMatchObject({ code: 'object_store_unavailable' });
});

test.each([
  ['the file', async (file: FileRecord) => void (await files().delete(file.userId, file.id))],
  ['all files', async (file: FileRecord) => void (await files().deleteAll(file.userId))],
  [
    'the user',
    async (file: FileRecord) => void (await new UserStore({ database: opened.database }).delete(file.userId)),
  ],
  [
    'a file that is replaced',
    async ({ userId, name }: FileRecord) => {
      await files().replace({ userId, flowId: null, name, extension: '' }, once(Buffer.from('new')));
    },
  ],
])('deleting %s deletes the object', async (_, remove) => {
  const user = await makeUser(opened.database);
  const { record } = await receive({ userId: user.id });
  const key = await keyOf(record.id);
  expect(await stored()).toContain(key);
  await remove(record);
  await clean();
  expect(await stored()).not.toContain(key);
  expect(await query('SELECT key FROM object_deletions WHERE key = $1', [key])).toEqual([]);
});

test('deleting a flow deletes the objects of its files, and a rolled back deletion none', async () => {
  const flow = await makeFlow(opened.database);
  const { record, content } = await receive({ userId: flow.userId, flowId: flow.id });
  const key = await keyOf(record.id);
  const failing = opened.database.transaction(async (connection) => {
    await connection.query({ text: 'DELETE FROM files WHERE id = $1', values: [record.id] });
    throw new Error('no entry in the audit log');
  });
  await expect(failing).rejects.toThrow('no entry');
  await clean();
  expect((await read(files(), record)).equals(content)).toBe(true);
  await new FlowStore({ database: opened.database }).delete(flow.userId, flow.id);
  await clean();
  expect(await stored()).not.toContain(key);
});

test('a flow that is deleted during an upload leaves no object', async () => {
  const flow = await makeFlow(opened.database);
  async function* slow() {
    yield randomBytes(LARGE);
    await new FlowStore({ database: opened.database }).delete(flow.userId, flow.id);
    await clean();
    yield randomBytes(LARGE);
  }
  const before = await stored();
  const file = { userId: flow.userId, flowId: flow.id, name: 'late', extension: '' };
  expect(await files().receive(file, slow())).toBeNull();
  await clean();
  expect((await stored()).sort()).toEqual(before.sort());
});

test('the sweep deletes objects that no file names, and keeps all others', async () => {
  const user = await makeUser(opened.database);
  const { record, content } = await receive({ userId: user.id });
  const installation = (await keyOf(record.id))?.split('/')[0];
  const orphan = `${installation}/files/00000000-0000-4000-8000-000000000000`;
  // Of a later release, and of another installation in the same bucket.
  const others = [`${installation}/later/1`, 'another/files/00000000-0000-4000-8000-000000000000'];
  for (const key of [orphan, ...others]) await objects.upload(key, once(Buffer.from('x')));
  expect(await deletions(3_600_000).sweep(never, '0 s')).toMatchObject({ orphans: 0 });
  await clean();
  expect(await stored()).toContain(orphan);
  await pause(1_100);
  expect(await deletions().sweep(never, '0 s')).toMatchObject({ orphans: 1 });
  await clean();
  const left = await stored();
  expect(left).not.toContain(orphan);
  expect(left).toEqual(expect.arrayContaining(others));
  expect((await read(files(), record)).equals(content)).toBe(true);
  expect(await deletions().sweep(never, '0 s')).toMatchObject({ orphans: 0 });
  expect(await deletions().sweep(never)).toBeNull();
});

test('while the store is away, large files are refused, small ones are stored, and deletions wait', async () => {
  const user = await makeUser(opened.database);
  const { record, content } = await receive({ userId: user.id });
  const removed = await receive({ userId: user.id, name: 'removed' });
  const removedKey = await keyOf(removed.record.id);
  await server.kill();
  await expect(receive({ userId: user.id, name: 'refused' })).rejects.toMatchObject({
    code: 'object_store_unavailable',
  });
  await expect(read(files(), record)).rejects.toMatchObject({ code: 'object_store_unavailable' });
  const small = await receive({ userId: user.id, name: 'small' }, Buffer.from('small'));
  expect(await files().delete(user.id, removed.record.id)).toBe(true);
  expect(await deletions().deleteDue()).toMatchObject({ failure: { code: 'object_store_unavailable' } });
  await server.start();
  expect((await untilSuccess(() => read(files(), record))).equals(content)).toBe(true);
  expect((await read(files(), small.record)).toString()).toBe('small');
  expect((await files().list(user.id, null)).map(({ name }) => name)).toEqual(['large', 'small']);
  expect(await stored()).toContain(removedKey);
  await query('UPDATE object_deletions SET due_at = now()');
  await clean();
  await pause(1_100);
  await deletions().sweep(never, '0 s');
  await clean();
  expect((await stored()).filter((key) => key === removedKey)).toEqual([]);
  const named = await query<{ key: string }>(
    'SELECT object_key AS key FROM files WHERE object_key IS NOT NULL',
  );
  const ofFiles = (await stored()).filter((key) => key.startsWith(`${removedKey?.split('/')[0]}/files/`));
  expect(ofFiles.sort()).toEqual(named.map(({ key }) => key).sort());
});

test('while a service of an earlier release is connected, files are in the database, and others can be moved there', async () => {
  const user = await makeUser(opened.database);
  const before = await receive({ userId: user.id, name: 'before' }, randomBytes(3_000_000));
  const key = await keyOf(before.record.id);
  const reading = files().content(before.record);
  const first = (await reading.next()).value as Buffer;
  const logger = createLogger({ name: 'test', level: 'silent' });
  const earlier = await openDatabase({
    url: opened.url,
    name: 'millrace-gateway-1',
    logger,
    maximumConnections: 1,
  });
  try {
    await earlier.ping();
    const { record } = await receive({ userId: user.id, name: 'during' });
    expect(await keyOf(record.id)).toBeNull();
    expect(await moveFiles({ database: opened.database, objects })).toMatchObject({ locked: 0, missing: 0 });
    expect(await keyOf(before.record.id)).toBeNull();
    // A download that has begun continues.
    const rest: Buffer[] = [first];
    for await (const part of reading) rest.push(part);
    expect(Buffer.concat(rest).equals(before.content)).toBe(true);
    expect((await read(files(null), before.record)).equals(before.content)).toBe(true);
    await clean();
    expect(await stored()).not.toContain(key);
  } finally {
    await earlier.close();
  }
  const { record } = await receive({ userId: user.id, name: 'after' });
  expect(await keyOf(record.id)).not.toBeNull();
});
