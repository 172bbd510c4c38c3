import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '@millrace/database';
import { startObjectServer } from '@millrace/scaled-system';
import type { ObjectServer } from '@millrace/scaled-system';
import { createLogger } from '@millrace/service';
import { untilSuccess } from '@millrace/service/testing';
import { ErasureStore } from '../erasure/erasure-store';
import { FlowStore } from '../flows/flow-store';
import { MessageStore } from '../messages/message-store';
import { openEmbedded, openNewDatabase } from '../testing/open-test-database';
import { makeFlow } from '../testing/test-parts';
import { BodyMover } from './body-mover';
import { moveBodies } from './move-bodies';
import { ObjectDeletions } from './object-deletions';
import type { ObjectStore } from './object-store';
import { openObjectStore } from './open-object-store';
import { describeRunBodies, largeRun, runBodyTools } from './run-bodies.contract';

const signal = new AbortController().signal;
let server: ObjectServer;
let objects: ObjectStore;
let opened: Awaited<ReturnType<typeof openNewDatabase>>;
let embedded: Awaited<ReturnType<typeof openEmbedded>>;

beforeAll(async () => {
  server = await startObjectServer({ program: process.env['SEAWEED'] ?? '' });
  objects = openObjectStore({ url: server.url })!;
  opened = await openNewDatabase();
  embedded = await openEmbedded();
}, 60_000);
afterAll(async () => {
  await embedded?.close();
  await opened?.close();
  await objects?.close();
  await server?.stop();
});

describeRunBodies(
  'PostgreSQL',
  () => opened,
  () => objects,
);
describeRunBodies(
  'embedded',
  () => embedded,
  () => objects,
);

const once = async function* (content: Buffer) {
  yield content;
};
const tools = () => runBodyTools(opened.database, objects);
const deletions = () =>
  new ObjectDeletions({ database: opened.database, objects, orphanAfterMilliseconds: 0 });
const clean = async () => {
  while ((await deletions().deleteDue()).deleted > 0);
};
const ofInstallation = async () => {
  const [row] = await tools().query<{ installation: string }>(
    'SELECT installation::text AS installation FROM object_store',
  );
  const page = await objects.list(`${row?.installation}/runs/`, null);
  return page.objects.map(({ key }) => key);
};
const named = async () =>
  (
    await tools().query<{ key: string }>(
      `SELECT split_part(substr(body, 3), ' ', 1) AS key FROM runs, unnest(ARRAY[result, request]) AS body
        WHERE left(body, 2) = '~@' ORDER BY 1`,
    )
  ).map(({ key }) => key);

test.each([
  ['a run', (userId: string, id: string) => tools().store.deleteRecord(userId, id)],
  [
    'its session',
    (userId: string) => {
      const { database } = opened;
      const erasure = new ErasureStore({ database, messages: new MessageStore({ database }) });
      return erasure.eraseSession(userId, 'session', 10);
    },
  ],
  [
    'its flow',
    (userId: string, _: string, flowId: string) =>
      new FlowStore({ database: opened.database }).delete(userId, flowId),
  ],
])('deleting %s deletes its objects', async (_, remove) => {
  const flow = await makeFlow(opened.database);
  const run = largeRun(flow);
  await tools().store.record([run]);
  await tools().move();
  const keys = (await ofInstallation()).filter((key) => key.includes(run.id));
  expect(keys).toHaveLength(2);
  await remove(flow.userId, run.id, flow.id);
  await clean();
  expect((await ofInstallation()).filter((key) => key.includes(run.id))).toEqual([]);
});

test('the sweep deletes an upload that no row names, and keeps all others', async () => {
  const flow = await makeFlow(opened.database);
  const run = largeRun(flow);
  await tools().store.record([run]);
  await tools().move();
  const [key = ''] = (await ofInstallation()).filter((one) => one.includes(run.id));
  await objects.upload(`${key.slice(0, -4)}0000`, once(Buffer.from('x')));
  await pause(1_100);
  expect(await deletions().sweep(signal, '0 s')).toMatchObject({ orphans: 1 });
  await clean();
  expect((await ofInstallation()).sort()).toEqual(await named());
  expect(await tools().store.find(flow.userId, run.id)).toMatchObject({ resultText: run.result });
});

test('while the store is away, large bodies get an error, all else goes on, and nothing is lost', async () => {
  const flow = await makeFlow(opened.database);
  const { store, move, query, columns } = tools();
  const [before, after] = [largeRun(flow), largeRun(flow)];
  await store.record([before]);
  await move();
  await server.kill();
  await store.record([after]);
  await expect(store.find(flow.userId, before.id)).rejects.toMatchObject({
    code: 'object_store_unavailable',
  });
  await expect(
    store.wholeResult(before.id, (await store.ended([before.id]))[0]?.resultText ?? null),
  ).rejects.toMatchObject({ code: 'object_store_unavailable' });
  expect(await store.findSummary(flow.userId, before.id)).toMatchObject({ status: 'succeeded' });
  expect((await store.list({ userId: flow.userId }, { limit: 10 })).runs).toHaveLength(2);
  const mover = new BodyMover({ database: opened.database, objects, movedAfter: '0 s' });
  expect(await mover.moveDue(signal)).toMatchObject({
    moved: 0,
    failure: { code: 'object_store_unavailable' },
  });
  // No process tries again at once.
  expect(await mover.moveDue(signal)).toEqual({ moved: 0, failure: null });
  expect(await store.find(flow.userId, after.id)).toMatchObject({ resultText: after.result });
  await server.start();
  await untilSuccess(() => store.find(flow.userId, before.id));
  expect(await store.find(flow.userId, before.id)).toMatchObject({ resultText: before.result });
  await query('UPDATE object_store SET moving_until = now()');
  await move();
  expect((await columns(after.id))?.result).toMatch(/^~@/);
  await clean();
  expect((await ofInstallation()).sort()).toEqual(await named());
});

test('a row that another session has locked stays as it is, and the others move', async () => {
  const flow = await makeFlow(opened.database);
  const { store, move, columns } = tools();
  const [locked, other] = [largeRun(flow), largeRun(flow)];
  await store.record([locked, other]);
  const whileLocked = (id: string, work: () => Promise<void>) =>
    opened.database.transaction(async (connection) => {
      await connection.query({ text: 'SELECT FROM runs WHERE id = $1 FOR UPDATE', values: [id] });
      await work();
    });
  await whileLocked(locked.id, move);
  expect((await columns(locked.id))?.result).toBe(locked.result);
  expect((await columns(other.id))?.result).toMatch(/^~@/);
  await move();
  expect((await columns(locked.id))?.result).toMatch(/^~@/);
  await whileLocked(locked.id, async () => {
    const counts = await moveBodies({ database: opened.database, objects });
    expect(counts).toMatchObject({ locked: 1, missing: 0 });
  });
  expect(await moveBodies({ database: opened.database, objects })).toMatchObject({ rewritten: 1, locked: 0 });
  expect(await columns(locked.id)).toMatchObject({ result: locked.result });
  await clean();
});

test('while a service of an earlier release is connected, bodies stay, and those in objects can be moved back', async () => {
  const flow = await makeFlow(opened.database);
  const { store, move, columns } = tools();
  const [before, during] = [largeRun(flow), largeRun(flow)];
  await store.record([before]);
  await move();
  const logger = createLogger({ name: 'test', level: 'silent' });
  const name = 'millrace-gateway-1';
  const earlier = await openDatabase({ url: opened.url, name, logger, maximumConnections: 1 });
  try {
    await store.record([during]);
    await earlier.ping();
    await move();
    expect((await columns(during.id))?.result).toBe(during.result);
    expect(await moveBodies({ database: opened.database, objects: null })).toMatchObject({ rewritten: 0 });
    expect(await moveBodies({ database: opened.database, objects })).toMatchObject({ missing: 0 });
    expect(await columns(before.id)).toEqual({
      request: JSON.stringify(before.request),
      result: before.result,
    });
    await clean();
    expect(await ofInstallation()).toEqual([]);
  } finally {
    await earlier.close();
  }
});

test('one that connects after the look for it keeps the body in its row, and leaves no object', async () => {
  const flow = await makeFlow(opened.database);
  const { store, columns } = tools();
  const mover = new BodyMover({ database: opened.database, objects, movedAfter: '0 s' });
  await mover.moveDue(signal);
  const logger = createLogger({ name: 'test', level: 'silent' });
  const name = 'millrace-ingest-1';
  const earlier = await openDatabase({ url: opened.url, name, logger, maximumConnections: 1 });
  const run = largeRun(flow);
  try {
    await earlier.ping();
    await store.record([run]);
    expect(await mover.moveDue(signal)).toEqual({ moved: 0, failure: null });
  } finally {
    await earlier.close();
  }
  expect((await columns(run.id))?.result).toBe(run.result);
  await clean();
  expect((await ofInstallation()).filter((key) => key.includes(run.id))).toEqual([]);
});
