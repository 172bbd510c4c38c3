import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, migrationStatus, openDatabase } from '@millrace/database';
import type { Database } from '@millrace/database';
import { Encryption } from '@millrace/runs';
import { createLogger, createMetrics, Health, readSettings } from '@millrace/service';
import { openStandalone, standaloneSettings } from '@millrace/standalone';
import { Client } from 'pg';
import { cli } from '../testing/test-shell';

const logger = createLogger({ name: 'test', level: 'silent' });
const echo = JSON.parse(readFileSync(join(__dirname, '../../../../examples/echo.json'), 'utf8')) as {
  name: string;
  data: object;
};
const server = process.env['DATABASE_URL'] ?? '';
const databases: string[] = [];
let folder: string;
let administrator: Client;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-older-backup-'));
  administrator = new Client({ connectionString: server });
  await administrator.connect();
});
afterAll(async () => {
  for (const name of databases) await administrator.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await administrator.end();
  rmSync(folder, { recursive: true, force: true });
});

async function emptyDatabase(): Promise<string> {
  const name = `millrace_older_${randomBytes(6).toString('hex')}`;
  databases.push(name);
  await administrator.query(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`);
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}

async function opened<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase({ url, name: 'test', logger, maximumConnections: 1 });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

interface OldRecords {
  readonly key: string;
  readonly flowId: string;
  readonly runId: string;
}

/** Stores what a release with these tables stored: a user with a key, a flow that ran, a credential and a message. */
async function fill(database: Database, encryption: Encryption): Promise<OldRecords> {
  const [userId, flowId, runId] = [randomUUID(), randomUUID(), randomUUID()];
  const key = `sk-${randomBytes(24).toString('hex')}`;
  const insert = (text: string, ...values: unknown[]) =>
    database.query({ text: `INSERT INTO ${text}`, values });
  await insert(`users (id, username, is_admin) VALUES ($1, 'ann', true)`, userId);
  await insert(
    `api_keys (id, user_id, prefix, key_hash, scopes) VALUES (gen_random_uuid(), $1, 'sk-', $2, '{run,manage,admin}')`,
    userId,
    createHash('sha256').update(key).digest('hex'),
  );
  await insert(
    `flows (id, user_id, name, version, settings, attributes) VALUES ($1, $2, $3, 1, '{}', '{}')`,
    flowId,
    userId,
    echo.name,
  );
  await insert(
    `flow_versions (flow_id, version, document) VALUES ($1, 1, $2::json)`,
    flowId,
    JSON.stringify(echo.data),
  );
  await insert(
    `variables (id, user_id, name, type, encrypted_value, default_fields) VALUES (gen_random_uuid(), $1, 'OLD', 'Credential', $2, '{}')`,
    userId,
    encryption.encrypt('sk-of-then'),
  );
  await insert(
    `runs (id, flow_id, user_id, flow_version, maximum_attempts, limit_milliseconds, accepted_at, finished_at, durable,
      status, lane, origin, pool, session_id, request, result) VALUES ($1, $2, $3, 1, 3, 60000, now(), now(), true,
      'succeeded', 'background', 'webhook', 'default', 'then', '{}', '{"outputs": []}')`,
    runId,
    flowId,
    userId,
  );
  return { key, flowId, runId };
}

// Before audit entries, traces and triggers; and before the canary of the encryption key.
test.each([19, 14])(
  'a backup of a database with the migrations up to %i is restored and migrated',
  async (newest) => {
    const [url, other] = [await emptyDatabase(), await emptyDatabase()];
    const secret = randomBytes(32).toString('base64');
    const settings = { DATABASE_URL: url, MILLRACE_ENCRYPTION_KEY: secret };
    const records = await opened(url, async (database) => {
      const versions = (await migrationStatus(database)).map(({ version }) => version);
      await migrate(database, { logger, versions: new Set(versions.filter((version) => version <= newest)) });
      return fill(database, Encryption.from([secret]));
    });
    const file = join(folder, `${newest}.backup`);
    expect(await cli(['backup', file], { environment: settings })).toMatchObject({ code: 0, faults: '' });

    const target = { ...settings, DATABASE_URL: other };
    expect(await cli(['restore', file], { environment: target })).toMatchObject({ code: 0, faults: '' });
    await opened(other, async (database) => {
      expect((await migrationStatus(database)).filter(({ state }) => state !== 'applied')).toEqual([]);
    });
    expect(await cli(['secrets', 'status'], { environment: target })).toMatchObject({ code: 0 });
    await requireRunning(target, records);
  },
);

/** Starts this release on a database: its key, flow, run and variable are those of the backup. */
async function requireRunning(
  place: Record<string, string>,
  { key, flowId, runId }: OldRecords,
): Promise<void> {
  const environment = {
    PORT: '0',
    MILLRACE_DURABILITY: 'process',
    MILLRACE_DATA_DIRECTORY: mkdtempSync(join(folder, 'unused-')),
    ...place,
  };
  const running = await openStandalone({
    settings: readSettings(standaloneSettings, environment),
    logger,
    metrics: createMetrics(),
    health: new Health(),
    environment,
    advice: { command: 'millrace up', besidesAnother: '' },
    loadsExamples: false,
  });
  try {
    const ask = async (path: string, body?: unknown) => {
      const answer = await fetch(`${running.url}${path}`, {
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      });
      return { status: answer.status, text: await answer.text() };
    };
    const body = { input_value: 'again', input_type: 'chat', output_type: 'chat' };
    expect(await ask(`/api/v1/run/${flowId}`, body)).toMatchObject({
      status: 200,
      text: expect.stringContaining('again'),
    });
    expect(await ask(`/api/v1/runs/${runId}`)).toMatchObject({
      status: 200,
      text: expect.stringContaining('succeeded'),
    });
    expect((await ask('/api/v1/variables/')).text).toContain('OLD');
  } finally {
    await running.close();
  }
}
