import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Database } from '@millrace/database';
import { FileStore, FlowStore, UserStore } from '@millrace/runs';
import { openTestDatabase } from '../../testing/test-installation';
import { StoredRunFiles } from './stored-run-files';

let database: Database;

beforeAll(async () => {
  database = await openTestDatabase();
}, 60_000);
afterAll(() => database.close());

async function openFiles(signal = new AbortController().signal) {
  const store = new FileStore({ database });
  const user = await new UserStore({ database }).create({ username: randomUUID(), isAdmin: false });
  const flow = await new FlowStore({ database }).create(user.id, {
    name: 'flow',
    document: { nodes: [], edges: [] },
  });
  const upload = (flowId: string | null, name: string, text: string) =>
    store.receive({ userId: user.id, flowId, name, extension: '.txt' }, Readable.from([Buffer.from(text)]));
  const files = new StoredRunFiles(store, { userId: user.id, flowId: flow.id, signal });
  return { files, store, user, flow, upload };
}

const textOf = async (files: StoredRunFiles, path: string): Promise<string | null> => {
  const file = await files.find(path);
  return file && (await files.read(file, 1_000)).toString();
};

test("finds the user's and the flow's files by path, with the separators of any system", async () => {
  const { files, user, flow, upload } = await openFiles();
  await upload(null, 'mine', 'of the user');
  await upload(flow.id, 'sheet', 'of the flow');
  expect(await textOf(files, `${user.id}/mine.txt`)).toBe('of the user');
  expect(await textOf(files, `${flow.id}\\sheet.txt`)).toBe('of the flow');
  expect(await textOf(files, 'mine.txt')).toBe('of the user');
  expect(await textOf(files, './sheet.txt')).toBe('of the flow');
  expect((await files.list()).map(({ name }) => name)).toEqual(['mine.txt', 'sheet.txt']);
});

test('finds neither missing files nor files of other users', async () => {
  const { files } = await openFiles();
  const other = await openFiles();
  const stored = await other.upload(null, 'secret', 'x');
  for (const path of ['', 'absent.txt', '/etc/passwd', '../etc/passwd', stored?.path ?? '', 'secret.txt'])
    expect(await files.find(path)).toBeNull();
});

test('replaces a file of the same name', async () => {
  const { files, user, store } = await openFiles();
  await files.save('reports/day.csv', Buffer.from('a'));
  const saved = await files.save('reports/day.csv', Buffer.from('bc'));
  expect(saved).toEqual({ path: `${user.id}/reports_day.csv`, name: 'reports_day.csv', sizeBytes: 2 });
  expect((await files.read(saved, 2)).toString()).toBe('bc');
  expect(await store.list(user.id, null)).toHaveLength(1);
});

test('refuses a file that is too large or was deleted in the meantime', async () => {
  const { files, store, user } = await openFiles();
  const saved = await files.save('a.txt', Buffer.from('12345'));
  await expect(files.read(saved, 4)).rejects.toThrow(`${user.id}/a.txt has 5 bytes; the limit is 4 bytes.`);
  await store.deleteAll(user.id);
  await expect(files.read(saved, 5)).rejects.toThrow('no longer exists');
});

test('stops reading when the run has ended', async () => {
  const abort = new AbortController();
  const { files } = await openFiles(abort.signal);
  const saved = await files.save('a.txt', Buffer.from('12345'));
  abort.abort(new Error('cancelled'));
  await expect(files.read(saved, 5)).rejects.toThrow('cancelled');
});
