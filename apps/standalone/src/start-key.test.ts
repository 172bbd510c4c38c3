import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '@millrace/database';
import { openMigratedDatabase } from '@millrace/database/testing';
import { ApiKeyStore, AuditLog, hashApiKey, newApiKey, UserStore } from '@millrace/runs';
import { createLogger } from '@millrace/service';
import { StoredApiKey } from './stored-api-key';
import { showKey } from './show-key';
import { startKey } from './start-key';
import type { StartKey } from './start-key';

const logger = createLogger({ name: 'test', level: 'silent' });
const folders: string[] = [];
const databases: Database[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  for (const database of databases.splice(0)) await database.close();
});

/** Creates a data folder and returns its stored key. */
function dataFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-start-key-'));
  folders.push(folder);
  return new StoredApiKey(folder, () => undefined);
}

async function openKeys() {
  const database = await openMigratedDatabase(logger);
  databases.push(database);
  const { id: userId } = await new UserStore({ database }).ensureFirst();
  const audit = new AuditLog({ database, logger });
  return { userId, audit, apiKeys: new ApiKeyStore({ database }) };
}

type Keys = Awaited<ReturnType<typeof openKeys>>;

const start = (keys: Keys, kept: StoredApiKey, more: { isGiven?: boolean; makeNew?: boolean } = {}) =>
  startKey({ ...keys, kept, isGiven: false, makeNew: false, ...more });

const isGood = async ({ apiKeys }: Keys, key: string | null) =>
  (await apiKeys.resolve(hashApiKey(key ?? ''))) !== null;

const shownOf = (key: StartKey) => (key.kind === 'kept' ? key.shown : undefined);

test('the first start creates a key in a file that only its owner can read; later starts use it', async () => {
  const [keys, kept] = [await openKeys(), dataFolder()];
  const key = shownOf(await start(keys, kept)) ?? '';
  expect(key).toMatch(/^sk-[\w-]{43}$/);
  expect(readFileSync(kept.file, 'utf8')).toBe(`${key}\n`);
  expect(statSync(kept.file).mode & 0o777).toBe(0o600);
  expect(await isGood(keys, key)).toBe(true);
  expect(await start(keys, kept)).toEqual({ kind: 'kept', file: kept.file, shown: null });
  expect(showKey(kept, 'npm start --')).toEqual({ exitCode: 0, output: key, reason: '' });
  expect(await keys.apiKeys.list(keys.userId)).toHaveLength(1);
});

test('a file that cannot be read results in one sentence', () => {
  const kept = dataFolder();
  mkdirSync(kept.file);
  expect(showKey(kept, 'npm start --')).toEqual({
    exitCode: 1,
    output: '',
    reason: `${kept.file} cannot be read: illegal operation on a directory (EISDIR)`,
  });
});

test('a start after an interrupted first start uses the key that was already stored', async () => {
  const [keys, kept] = [await openKeys(), dataFolder()];
  const key = newApiKey();
  kept.store(key);
  expect(shownOf(await start(keys, kept))).toBe(key);
  expect(await isGood(keys, key)).toBe(true);
});

test('a key from the environment is not stored, even when it is the first', async () => {
  const [keys, kept] = [await openKeys(), dataFolder()];
  await keys.apiKeys.create(keys.userId, { name: 'bootstrap', expiresAt: null });
  expect(await start(keys, kept, { isGiven: true })).toEqual({ kind: 'given' });
  expect(kept.read()).toBeNull();
  // A later start without that key.
  expect(await start(keys, kept)).toEqual({ kind: 'unknown' });
  expect(showKey(kept, 'npm start --')).toEqual({
    exitCode: 1,
    output: '',
    reason: `no API key is stored in ${kept.file}; create one with npm start -- --new-key (stop the running server first)`,
  });
});

test('a stored key that the database refuses is not shown; a new one can be created', async () => {
  const [keys, kept] = [await openKeys(), dataFolder()];
  const old = shownOf(await start(keys, kept)) ?? '';
  await keys.apiKeys.create(keys.userId, { name: 'mine', expiresAt: null });
  const [first] = await keys.apiKeys.list(keys.userId);
  await keys.apiKeys.delete(keys.userId, first?.id ?? '');
  expect(await start(keys, kept)).toEqual({ kind: 'refused' });
  expect(showKey(kept, 'npm start --')).toMatchObject({
    exitCode: 1,
    output: '',
    reason: expect.stringContaining('was deleted or is no longer valid') as string,
  });
  const another = shownOf(await start(keys, kept, { makeNew: true })) ?? '';
  expect(another).not.toBe(old);
  expect(showKey(kept, '').output).toBe(another);
  expect(await isGood(keys, another)).toBe(true);
});

test('creates a new key when all keys were deleted, and the deleted key stays deleted', async () => {
  const [keys, kept] = [await openKeys(), dataFolder()];
  const old = shownOf(await start(keys, kept)) ?? '';
  const [first] = await keys.apiKeys.list(keys.userId);
  await keys.apiKeys.delete(keys.userId, first?.id ?? '');
  kept.markRefused({ isRefused: true });
  const another = shownOf(await start(keys, kept)) ?? '';
  expect(another).not.toBe(old);
  expect([await isGood(keys, old), await isGood(keys, another)]).toEqual([false, true]);
});

test('a data folder that is used with another database keeps the key of the first one', async () => {
  const [keys, kept] = [await openKeys(), dataFolder()];
  const key = shownOf(await start(keys, kept)) ?? '';
  const used = await openKeys();
  await used.apiKeys.create(used.userId, { name: 'of its own', expiresAt: null });
  expect(await start(used, kept)).toEqual({ kind: 'refused' });
  expect(showKey(kept, '').exitCode).toBe(1);
  expect(await start(keys, kept)).toEqual({ kind: 'kept', file: kept.file, shown: null });
  expect(showKey(kept, '').output).toBe(key);
  // A database without any keys adopts the key of the folder.
  const fresh = await openKeys();
  expect(shownOf(await start(fresh, kept))).toBe(key);
  expect(await isGood(fresh, key)).toBe(true);
});
