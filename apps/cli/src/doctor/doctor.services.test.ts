import { until } from '@millrace/service/testing';
import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'amqplib';
import type { Channel, ChannelModel } from 'amqplib';
import { brokerNames, runsTopology } from '@millrace/messages';
import { migrate, openDatabase } from '@millrace/database';
import { queueOptions } from '@millrace/messaging';
import { checkEncryptionKey, Encryption } from '@millrace/runs';
import { createLogger } from '@millrace/service';
import { Client } from 'pg';
import { MillraceClient } from '../client/millrace-client';
import { cli } from '../testing/test-shell';
import { examine } from './examine';
import type { ExamineOptions } from './examine';

const name = `millrace_doctor_${randomBytes(6).toString('hex')}`;
const prefix = `${name}.`;
const names = brokerNames(prefix);
const logger = createLogger({ name: 'test', level: 'silent' });
const key = randomBytes(32).toString('base64');
const servers = {
  database: process.env['DATABASE_URL'] ?? '',
  broker: process.env['AMQP_URL'] ?? '',
  redis: process.env['REDIS_URL'] ?? '',
};
let folder: string, sound: Record<string, string>;
let administrator: Client, client: Client;
let broker: ChannelModel, consumers: Channel;
let ofServer: string[]; // What is found in a sound installation: a server for tests can have fsync = off.

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-doctor-'));
  administrator = new Client({ connectionString: servers.database });
  await administrator.connect();
  const url = await makeDatabase(name);
  client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`ALTER DATABASE ${name} SET synchronous_commit = on`);
  const off = `SELECT FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off'`;
  ofServer = (await client.query(off)).rows.map(() => 'database_not_durable');
  await client.query(`INSERT INTO users (id, username, is_admin) VALUES (gen_random_uuid(), 'admin', true)`);
  sound = {
    DATABASE_URL: url,
    AMQP_URL: servers.broker,
    REDIS_URL: servers.redis,
    MILLRACE_PREFIX: prefix,
    MILLRACE_ENCRYPTION_KEY: key,
    MILLRACE_DATA_DIRECTORY: join(folder, 'data'),
  };
  broker = await connect(servers.broker);
  consumers = await broker.createChannel();
  for (const exchange of [names.runsExchange, names.deadExchange])
    await consumers.assertExchange(exchange, 'direct', { durable: true });
  for (const queue of runsTopology(names, ['default']).queues) {
    await consumers.assertQueue(queue.name, queueOptions(queue));
    if (queue.name !== names.deadQueue) await consumers.consume(queue.name, () => undefined);
  }
});

afterAll(async () => {
  for (const queue of runsTopology(names, ['default', 'wrong', 'idle']).queues)
    await consumers.deleteQueue(queue.name).catch(() => undefined);
  for (const exchange of [names.runsExchange, names.deadExchange]) await consumers.deleteExchange(exchange);
  await broker.close();
  await client.end();
  await administrator.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  for (const other of ['empty', 'ascii'])
    await administrator.query(`DROP DATABASE IF EXISTS ${name}_${other} WITH (FORCE)`);
  await administrator.end();
  rmSync(folder, { recursive: true, force: true });
});

/** Creates a database with all tables and the canary of the key. */
async function makeDatabase(database: string): Promise<string> {
  await administrator.query(`CREATE DATABASE ${database} ENCODING 'UTF8' TEMPLATE template0`);
  const url = new URL(servers.database);
  url.pathname = `/${database}`;
  const opened = await openDatabase({ url: url.href, name: 'test', logger, maximumConnections: 1 });
  await migrate(opened, { logger });
  await checkEncryptionKey({ database: opened, encryption: Encryption.from([key]), logger });
  await opened.close();
  return url.href;
}

/** Returns the codes of what is found with these changes to the sound installation. */
async function codes(
  changes: Record<string, string> = {},
  options: Partial<ExamineOptions> = {},
): Promise<string[]> {
  const checks = await examine({
    environment: { ...sound, ...changes },
    api: undefined,
    nodeVersion: process.versions.node,
    machineClock: () => Date.now(),
    onBegin: () => undefined,
    ...options,
  });
  const findings = checks.flatMap((check) => check.findings);
  for (const { message, remedy } of findings) {
    expect(message).not.toBe('');
    expect(remedy).not.toBe('');
    expect(`${message} ${remedy}`).not.toContain('hunter22');
  }
  return findings.map(({ code }) => code);
}

const withData = (make: (data: string) => void) => {
  const data = mkdtempSync(join(folder, 'data-'));
  make(data);
  return { MILLRACE_DATA_DIRECTORY: data };
};

test('finds nothing in a sound installation, and exits with 0', async () => {
  expect(await codes()).toEqual(ofServer);
  const { code, output } = await cli(['doctor', '--no-server'], { environment: sound });
  const end = `${ofServer.length} errors, 0 warnings`;
  expect([code, output.split('\n').at(-2)]).toEqual([Math.min(1, ofServer.length), end]);
});

const nowhere = '127.0.0.1:1';
const MILLRACE_OBJECT_STORE_URL = `s3://id:hunter22@bucket?endpoint=http://${nowhere}`;
const FILE = `WITH owner AS (INSERT INTO users (id, username) VALUES (gen_random_uuid(), 'a') RETURNING id)
  INSERT INTO files (id, user_id, object_key) SELECT gen_random_uuid(), id, 'a' FROM owner`;
const NO_FILE = `DELETE FROM users WHERE username = 'a'`;
const DELETION = `INSERT INTO object_deletions (key, attempts) VALUES ('b', 9)`;
const broken: [string, string, () => Promise<string[]>][] = [
  ['a wrong setting', 'setting_wrong', () => codes({ PORT: 'many' })],
  ['a mistyped setting', 'setting_wrong', () => codes({ MILLRACE_CONCURENCY: '2' })],
  ['an encryption key that is none', 'setting_wrong', () => codes({ MILLRACE_ENCRYPTION_KEY: 'short' })],
  ['an object store that is away', 'object_store_unavailable', () => codes({ MILLRACE_OBJECT_STORE_URL })],
  ['files in a store that is not set', 'object_store_unset', () => changed(FILE, NO_FILE)],
  ['objects that stay', 'objects_not_deleted', () => changed(DELETION, 'DELETE FROM object_deletions')],
  ['an old Node', 'node_old', () => codes({}, { nodeVersion: '20.11.1' })],
  ['an early Node 24', 'node_old', () => codes({}, { nodeVersion: '24.5.0' })],
  [
    'a data folder that is a file',
    'data_folder_is_file',
    () => {
      const file = join(folder, 'file');
      writeFileSync(file, '');
      return codes({ MILLRACE_DATA_DIRECTORY: file });
    },
  ],
  [
    'an API key that others can read',
    'secret_readable',
    () =>
      codes(
        withData((data) => {
          writeFileSync(join(data, 'api-key'), 'sk-x');
          chmodSync(join(data, 'api-key'), 0o644);
        }),
      ),
  ],
  [
    'a damaged encryption key',
    'encryption_key_damaged',
    () => codes(withData((data) => writeFileSync(join(data, 'encryption-key'), 'x', { mode: 0o600 }))),
  ],
  [
    'a database without its encryption key',
    'encryption_key_missing',
    () =>
      codes({
        ...withData((data) => mkdirSync(join(data, 'database'))),
        DATABASE_URL: '',
        MILLRACE_ENCRYPTION_KEY: '',
      }),
  ],
  [
    'no PostgreSQL',
    'database_unavailable',
    () => codes({ DATABASE_URL: `postgres://ann:hunter22@${nowhere}/mill` }),
  ],
  [
    'a key that is not that of the database',
    'encryption_key_wrong',
    () => codes({ MILLRACE_ENCRYPTION_KEY: randomBytes(32).toString('hex') }),
  ],
  ['a database with values and no key', 'encryption_key_unset', () => codes({ MILLRACE_ENCRYPTION_KEY: '' })],
  ['a clock that is ahead', 'clock_skew', () => codes({}, { machineClock: () => Date.now() + 60_000 })],
  [
    'a database without tables',
    'migrations_pending',
    async () => {
      await administrator.query(`CREATE DATABASE ${name}_empty ENCODING 'UTF8' TEMPLATE template0`);
      return codes({ DATABASE_URL: sound['DATABASE_URL']?.replace(name, `${name}_empty`) ?? '' });
    },
  ],
  [
    'a database that is not encoded in UTF8',
    'database_encoding',
    async () => {
      const text = `CREATE DATABASE ${name}_ascii ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`;
      await administrator.query(text);
      return codes({ DATABASE_URL: sound['DATABASE_URL']?.replace(name, `${name}_ascii`) ?? '' });
    },
  ],
  [
    'a database of a newer release',
    'migrations_newer',
    () =>
      changed(
        `INSERT INTO schema_migrations (version, name, checksum) VALUES (9999, '9999_later', 'x')`,
        `DELETE FROM schema_migrations WHERE version = 9999`,
      ),
  ],
  [
    'a database that is read-only',
    'database_read_only',
    () =>
      changed(
        `ALTER DATABASE ${name} SET default_transaction_read_only = on`,
        `SET default_transaction_read_only = off; ALTER DATABASE ${name} SET default_transaction_read_only = off`,
      ),
  ],
  [
    'a server that does not wait for its disk',
    'database_not_durable',
    () =>
      changed(
        `ALTER DATABASE ${name} SET synchronous_commit = off`,
        `ALTER DATABASE ${name} SET synchronous_commit = on`,
      ),
  ],
  [
    'a flow whose settings the database cannot read',
    'rows_unreadable',
    () =>
      changed(
        String.raw`INSERT INTO flows (id, user_id, name, version, settings, attributes)
          SELECT gen_random_uuid(), id, 'unreadable', 1, '{"pool":"\ud800"}', '{}' FROM users LIMIT 1`,
        `DELETE FROM flows WHERE name = 'unreadable'`,
      ),
  ],
  [
    'a flow with a setting of a wrong type',
    'rows_unreadable',
    () =>
      changed(
        `INSERT INTO flows (id, user_id, name, version, settings, attributes)
          SELECT gen_random_uuid(), id, 'mistyped', 1, '{"concurrency":"two"}', '{}' FROM users LIMIT 1`,
        `DELETE FROM flows WHERE name = 'mistyped'`,
      ),
  ],
  [
    'texts whose template is missing',
    'text_templates_missing',
    () =>
      changed(
        runSql('succeeded', 'NULL').replace(`'{"code":"x"}'`, `'~12345678'`).replace('failure)', 'result)'),
        'DELETE FROM runs',
      ),
  ],
  [
    'runs that no sweeper publishes again',
    'runs_not_swept',
    () => changed(runSql('queued', `now() - interval '1 hour'`), 'DELETE FROM runs'),
  ],
  ['dead runs', 'runs_dead', () => changed(runSql('dead', 'NULL'), 'DELETE FROM runs')],
  [
    'no admin',
    'admin_missing',
    () => changed('UPDATE users SET is_admin = false', 'UPDATE users SET is_admin = true'),
  ],
  ['no RabbitMQ', 'broker_unavailable', () => codes({ AMQP_URL: `amqp://ann:hunter22@${nowhere}` })],
  ['queues that do not exist', 'queue_missing', () => codes({ MILLRACE_POOLS: 'default,absent' })],
  [
    'a background lane that is a classic queue',
    'queue_kind_wrong',
    async () => {
      await consumers.assertQueue(names.lane('background', 'wrong'), { durable: true });
      await consumers.consume(names.lane('background', 'wrong'), () => undefined);
      return codes({ MILLRACE_POOLS: 'default,wrong' });
    },
  ],
  [
    'a lane with messages and without an executor',
    'lane_without_consumer',
    async () => {
      const lane = names.lane('interactive', 'idle');
      await consumers.assertQueue(lane, { durable: true, arguments: { 'x-queue-type': 'classic' } });
      consumers.sendToQueue(lane, Buffer.from('{}'));
      return codes({ MILLRACE_POOLS: 'default,idle' });
    },
  ],
  [
    'dead letters',
    'dead_letters',
    async () => {
      consumers.sendToQueue(names.deadQueue, Buffer.from('{}'));
      await until(
        async () => (await consumers.checkQueue(names.deadQueue)).messageCount > 0,
        'the queue has no message',
      );
      const found = await codes();
      await consumers.purgeQueue(names.deadQueue);
      return found;
    },
  ],
  ['no Redis', 'redis_unavailable', () => codes({ REDIS_URL: `redis://:hunter22@${nowhere}` })],
  [
    'Python without an environment',
    'python_unusable',
    () => codes({ MILLRACE_PYTHON: 'approved', MILLRACE_PYTHON_ENVIRONMENT: join(folder, 'none') }),
  ],
  ['no server', 'server_unavailable', () => codes({}, { api: apiOf(`http://${nowhere}`) })],
  ['another server', 'server_other', () => withServer(404, '{}')],
  [
    'a server that is not ready',
    'server_check_failed',
    () => withServer(503, '{"ready":false,"checks":{"broker":{"ok":false}}}'),
  ],
  ['a refused key', 'key_refused', () => withServer(403, '{"ready":true,"checks":{}}')],
];

test.each(broken)('finds %s: %s', async (_, code, find) => {
  expect(await find()).toContain(code);
});

test('says which command makes texts readable for earlier releases, and names rows without a template', async () => {
  const facts = async () => {
    const { json } = await cli(['doctor', '--no-server', '--json'], { environment: sound });
    const { checks } = json<{
      checks: { name: string; facts: string[]; findings: { message: string }[] }[];
    }>();
    const found = checks.find((check) => check.name === 'database');
    return [found?.facts.join(), found?.findings.map(({ message }) => message).join()] as const;
  };
  const [before] = await facts();
  expect(before).not.toContain('rewrite');
  await client.query('INSERT INTO text_templates VALUES ($1, $2, $3)', [
    '_doctor_',
    ['{"text":"', '"}'],
    [1, 0],
  ]);
  const flow = randomUUID();
  const id = randomUUID();
  await client.query(
    `INSERT INTO messages (id, flow_id, user_id, timestamp, session_id, context_id, sender, sender_name, body)
      VALUES ($1, $2, $2, now(), 's', '', 'User', 'User', $3)`,
    [id, flow, '~_doctor_\nhello'],
  );
  const [coded, sane] = await facts();
  expect(coded).toContain('texts in a form that releases before 0.2 read after millrace rewrite');
  expect(sane).not.toContain(id);
  await client.query(`DELETE FROM text_templates`);
  const [, missing] = await facts();
  expect(missing).toContain(`their templates are not stored: messages ${id}.`);
  await client.query('DELETE FROM messages');
});

test('all of these have different codes, and the program exits with 1', async () => {
  expect(new Set(broken.map(([, code]) => code)).size).toBeGreaterThanOrEqual(15);
  const environment = { ...sound, REDIS_URL: `redis://${nowhere}` };
  const { code, json } = await cli(['doctor', '--no-server', '--json'], { environment });
  expect(code).toBe(1);
  expect(json()).toMatchObject({ errors: 1 + ofServer.length });
});

async function changed(sql: string, back: string): Promise<string[]> {
  await client.query(sql);
  try {
    return await codes();
  } finally {
    await client.query(back);
  }
}

function runSql(status: string, nextSweep: string): string {
  return `INSERT INTO runs (id, flow_id, user_id, flow_version, maximum_attempts, limit_milliseconds, accepted_at, durable,
      status, lane, origin, pool, session_id, next_sweep_at, failure)
    VALUES (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 1, 3, 1000, now(), true,
      '${status}', 'background', 'run', 'default', 's', ${nextSweep}, '{"code":"x"}')`;
}
const apiOf = (url: string) => new MillraceClient({ url, key: 'sk-hunter22' });

async function withServer(status: number, body: string): Promise<string[]> {
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    return await codes({}, { api: apiOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}
