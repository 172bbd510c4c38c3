import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, openDatabase } from '@millrace/database';
import type { Database } from '@millrace/database';
import { EncryptionKeyAnnouncement } from '@millrace/dispatch';
import { openKeyValueStore } from '@millrace/key-value';
import { AuditLog, checkEncryptionKey, Encryption, UserStore, VariableStore } from '@millrace/runs';
import { createLogger } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { writeEncryptionKeys } from '@millrace/standalone';
import { Client } from 'pg';
import { cli } from '../testing/test-shell';

const logger = createLogger({ name: 'test', level: 'silent' });
const [old, fresh, lost] = [32, 32, 32].map((bytes) => randomBytes(bytes).toString('base64'));
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-secrets-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Stores a user with one variable; resolves to the user's id. */
async function fill(database: Database, keys: readonly string[], username = 'ann'): Promise<string> {
  const user = await new UserStore({ database }).create({ username, isAdmin: true });
  const variables = new VariableStore({ database, encryption: Encryption.from(keys) });
  await variables.create(user.id, { name: 'KEY', value: 'sk-1', type: 'Credential', defaultFields: [] });
  return user.id;
}

async function opened<T>(
  place: { url: string } | { dataDirectory: string },
  work: (database: Database) => Promise<T>,
) {
  const database = await openDatabase({
    url: undefined,
    ...place,
    name: 'test',
    logger,
    maximumConnections: 2,
  });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

describe('on PostgreSQL', () => {
  const name = `millrace_secrets_${randomBytes(6).toString('hex')}`;
  const server = process.env['DATABASE_URL'] ?? '';
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  const environment = (...keys: (string | undefined)[]) => ({
    DATABASE_URL: url,
    MILLRACE_ENCRYPTION_KEY: keys.join(','),
    MILLRACE_DATA_DIRECTORY: join(folder, 'unused'),
  });
  const run = (words: string, ...keys: (string | undefined)[]) =>
    cli(words.split(' '), { environment: environment(...keys) });
  /** Starts as a service does. */
  const start = (...keys: string[]) =>
    opened({ url }, (database) =>
      checkEncryptionKey({ database, encryption: Encryption.from(keys), logger }),
    );
  let administrator: Client;

  beforeAll(async () => {
    administrator = new Client({ connectionString: server });
    await administrator.connect();
    await administrator.query(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`);
    await opened({ url }, async (database) => {
      await migrate(database, { logger });
      await fill(database, [old ?? '']);
    });
    await start(old ?? '');
  });
  afterAll(async () => {
    await administrator.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await administrator.end();
  });

  const doctor = async (...keys: (string | undefined)[]) => {
    const { output } = await run('doctor --no-server --json', ...keys);
    return /"encrypt\w+"/.exec(output)?.[0];
  };

  const redis = { REDIS_URL: process.env['REDIS_URL'] ?? '', MILLRACE_PREFIX: `${name}.` };
  const keyId = (key = '') => Encryption.from([key]).keyIds[0] ?? '';

  /** Works while a gateway announces both keys and an ingest process these. */
  async function whileAnnounced<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const keyValue = await openKeyValueStore({
      url: redis.REDIS_URL,
      prefix: redis.MILLRACE_PREFIX,
      logger,
      name: 'test',
    });
    await until(() =>
      keyValue.ping().then(
        () => true,
        () => false,
      ),
    );
    const open = (process: string, known: readonly string[]) =>
      EncryptionKeyAnnouncement.open({ keyValue, process, keys: known });
    const announcements = [
      await open('gateway-new', [keyId(fresh), keyId(old)]),
      await open('ingest-old', keys),
    ];
    try {
      return await work();
    } finally {
      for (const announcement of announcements) await announcement.close();
      await keyValue.close();
    }
  }

  test('a key is changed in the documented order, and the old one can be removed', async () => {
    expect(await run('secrets status', old)).toMatchObject({ code: 0 });
    expect(await run('secrets rotate', fresh, old)).toMatchObject({
      code: 77,
      faults: expect.stringContaining('No service has started with this first key'),
    });
    await start(fresh ?? '', old ?? '');
    const refusal = await whileAnnounced([keyId(old)], () =>
      cli(['secrets', 'rotate'], { environment: { ...environment(fresh, old), ...redis } }),
    );
    expect(refusal).toMatchObject({
      code: 77,
      faults: expect.stringContaining('1 of 2 processes do not have this first key, such as ingest-old'),
    });
    expect(await doctor(fresh, old)).toBe('"encrypted_values_older"');
    const before = await run('secrets status --json', fresh, old);
    expect(before.code).toBe(1);
    expect(before.json()).toMatchObject({
      complete: false,
      places: expect.arrayContaining([expect.objectContaining({ place: 'variables', other_keys: 1 })]),
    });
    const rotated = await whileAnnounced([keyId(old), keyId(fresh)], () =>
      cli(['secrets', 'rotate'], { environment: { ...environment(fresh, old), ...redis } }),
    );
    expect(rotated).toMatchObject({ code: 0, faults: '' });
    expect(rotated.output).toContain('The other keys are not needed for stored values.');
    expect(await doctor(fresh, old)).toBeUndefined();
    expect(await run('secrets status', fresh)).toMatchObject({ code: 0 });
    await start(fresh ?? '');
    const actions = await opened({ url }, (database) =>
      new AuditLog({ database, logger }).list({ limit: 10 }),
    );
    expect(actions).toMatchObject([{ action: 'secrets.reencrypted', kind: 'system' }]);
    for (const { detail } of actions) expect(JSON.parse(detail)).toMatchObject({ variables: 1, runs: 0 });
    expect((await run('secrets rotate --json', fresh)).json()).toMatchObject({
      complete: true,
      places: expect.arrayContaining([expect.objectContaining({ place: 'variables', reencrypted: 0 })]),
    });
  });

  test('a value that no key opens is named by status, rotate and doctor', async () => {
    await opened({ url }, (database) => fill(database, [lost ?? ''], 'bob'));
    for (const words of ['secrets status', 'secrets rotate']) {
      const { code, output } = await run(words, fresh);
      expect(code).toBe(1);
      expect(output).toContain('No key opens variables: bob/KEY');
    }
    expect(await doctor(fresh)).toBe('"encrypted_values_unreadable"');
    expect((await run('doctor --no-server', fresh)).output).toContain('variables bob/KEY');
    expect(await run('secrets status', fresh, lost)).toMatchObject({ code: 1 });
  });

  test('a new key is made in a data folder only, and a key is needed', async () => {
    expect(await run('secrets rotate --new-key', fresh)).toMatchObject({ code: 64 });
    const without = { DATABASE_URL: url, MILLRACE_DATA_DIRECTORY: join(folder, 'unused') };
    expect(await cli(['secrets', 'status'], { environment: without })).toMatchObject({ code: 78 });
  });
});

test('the key of a data folder is replaced by a new one', async () => {
  const data = mkdtempSync(join(folder, 'data-'));
  const target = await cli(['secrets', 'status', '--at', data], {});
  expect(target).toMatchObject({ code: 66 });
  writeEncryptionKeys(data, [old ?? ''], { replace: false });
  const place = { dataDirectory: join(data, 'database') };
  const userId = await opened(place, async (database) => {
    await migrate(database, { logger });
    await checkEncryptionKey({ database, encryption: Encryption.from([old ?? '']), logger });
    return fill(database, [old ?? '']);
  });
  expect(await cli(['secrets', 'rotate', '--at', data, '--new-key'])).toMatchObject({
    code: 0,
    output: expect.stringContaining('The data folder has the new key only.'),
  });
  const key = readFileSync(join(data, 'encryption-key'), 'utf8').trim();
  expect(key).not.toContain(old);
  expect(Buffer.from(key, 'base64')).toHaveLength(32);
  await opened(place, async (database) => {
    const encryption = Encryption.from([key]);
    await checkEncryptionKey({ database, encryption, logger });
    expect(await new VariableStore({ database, encryption }).value(userId, 'KEY')).toBe('sk-1');
  });
});
