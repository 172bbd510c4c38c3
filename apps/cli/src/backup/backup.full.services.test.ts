import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { openDatabase } from '@millrace/database';
import { openMigratedDatabase } from '@millrace/database/testing';
import { examineTexts } from '@millrace/runs';
import { createLogger, createMetrics, Health, readSettings } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { openStandalone, standaloneSettings } from '@millrace/standalone';
import { flowData, node } from '@millrace/testing';
import { Client } from 'pg';
import { cli } from '../testing/test-shell';
import { storedTables } from './stored-tables';

const logger = createLogger({ name: 'test', level: 'silent' });
const echo = readFileSync(join(__dirname, '../../../../examples/echo.json'), 'utf8');
const serverUrl = process.env['DATABASE_URL'] ?? '';
const databases: string[] = [];
let folder: string;
let administrator: Client;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-backup-'));
  administrator = new Client({ connectionString: serverUrl });
  await administrator.connect();
});

afterAll(async () => {
  for (const name of databases) await administrator.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await administrator.end();
  rmSync(folder, { recursive: true, force: true });
});

async function emptyDatabase(): Promise<string> {
  const name = `millrace_backup_${randomBytes(6).toString('hex')}`;
  databases.push(name);
  await administrator.query(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`);
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}

/** Starts a server on a data folder, or on a PostgreSQL database with an empty folder. */
async function serve(place: Record<string, string>) {
  const environment = {
    PORT: '0',
    MILLRACE_DURABILITY: 'process',
    MILLRACE_DATA_DIRECTORY: mkdtempSync(join(folder, 'unused-')),
    ...place,
  };
  const server = await openStandalone({
    settings: readSettings(standaloneSettings, environment),
    logger,
    metrics: createMetrics(),
    health: new Health(),
    environment,
    advice: { command: 'millrace up', besidesAnother: '' },
    loadsExamples: false,
  });
  return {
    ...server,
    async ask<T>(key: string, path: string, init: { method?: string; body?: unknown } = {}): Promise<T> {
      const { method = init.body === undefined ? 'GET' : 'POST' } = init;
      const answer = await fetch(`${server.url}${path}`, {
        method,
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
      });
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      return (await answer.json()) as T;
    },
  };
}

type Server = Awaited<ReturnType<typeof serve>>;

const apiKey = (data: string) => readFileSync(join(data, 'api-key'), 'utf8').trim();

/** Fills a server with a flow that has run, a credential and a message. */
async function fill(server: Server, key: string): Promise<string> {
  const flow = await server.ask<{ id: string }>(key, '/api/v1/flows/', { body: JSON.parse(echo) as object });
  await server.ask(key, '/api/v1/variables/', {
    body: { name: 'OPENAI_API_KEY', value: 'sk-remembered', type: 'Credential', default_fields: [] },
  });
  await run(server, key, flow.id, 'kept \u2028 "text"');
  return flow.id;
}

async function run(server: Server, key: string, flow: string, input: string): Promise<string> {
  const body = { input_value: input, session_id: 'kept', input_type: 'chat', output_type: 'chat' };
  return JSON.stringify(await server.ask(key, `/api/v1/run/${flow}`, { body }));
}

/** Runs the flow until its answers have templates; resolves to what the server says of each run and its messages. */
async function runsWithTemplates(server: Server, key: string, flow: string, url: string) {
  const database = await openDatabase({ url, name: 'test', logger, maximumConnections: 1 });
  try {
    await until(async () => {
      await run(server, key, flow, `in short form "${randomBytes(4).toString('hex')}"`);
      return (await examineTexts(database)).areCoded;
    }, 'no text got a template');
  } finally {
    await database.close();
  }
  return storedAnswers(server, key);
}

async function storedAnswers(server: Server, key: string) {
  const { runs } = await server.ask<{ runs: { id: string }[] }>(key, '/api/v1/runs?limit=200');
  const answers = await Promise.all(
    runs.map(({ id }) => server.ask<{ result?: unknown }>(key, `/api/v1/runs/${id}`)),
  );
  const messages = await server.ask<unknown[]>(key, '/api/v1/monitor/messages?session_id=kept');
  expect(answers.every(({ result }) => Boolean(result))).toBe(true);
  return { answers, messages };
}

/** Starts a run that waits for a person; resolves to its id and a link that approves it. */
async function suspendedRun(server: Server, key: string) {
  const data = flowData(
    [
      node('ChatInput-i', { input_value: '' }, 'message'),
      node('HumanInput-h', { prompt: '' }, 'branch_approve', 'branch_reject'),
      node('ChatOutput-z', { input_value: '' }, 'message'),
    ],
    ['ChatInput-i.message > HumanInput-h.prompt', 'HumanInput-h.branch_approve > ChatOutput-z.input_value'],
  );
  const { id: flow_id } = await server.ask<{ id: string }>(key, '/api/v1/flows/', {
    body: { name: 'asking', data },
  });
  const body = { flow_id, input_value: 'ship it?', session_id: 'waiting' };
  const { job_id: id } = await server.ask<{ job_id: string }>(key, '/api/v2/workflows', { body });
  const { requests } = await server.ask<{ requests: { links: { actions: Record<string, string> } }[] }>(
    key,
    `/api/v1/pending?run_id=${id}&links=true`,
  );
  return { id, link: requests[0]?.links.actions['approve'] ?? '' };
}

async function requireContinued(
  server: Server,
  key: string,
  waiting: { id: string; link: string },
): Promise<void> {
  const answer = await fetch(`${server.url}${waiting.link}`, { method: 'POST', body: new URLSearchParams() });
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('approve')]);
  const read = () => server.ask<{ status: string; attempt: number }>(key, `/api/v1/runs/${waiting.id}`);
  await until(async () => (await read()).status === 'succeeded', 'the run did not go on');
  expect(await read()).toMatchObject({ attempt: 2 });
}

async function requireCopy(server: Server, key: string, flow: string): Promise<void> {
  expect(await run(server, key, flow, 'again')).toContain('again');
  const messages = await server.ask<{ text: string }[]>(key, '/api/v1/monitor/messages?session_id=kept');
  expect(messages.filter(({ text }) => text === 'kept \u2028 "text"')).toHaveLength(2);
  const variables = await server.ask<{ name: string }[]>(key, '/api/v1/variables/');
  expect(variables.map(({ name }) => name)).toContain('OPENAI_API_KEY');
  const audit = await server.ask<{ entries?: unknown[] }>(key, '/api/v1/audit');
  expect(JSON.stringify(audit)).toContain('variable');
}

test('a data folder is backed up, destroyed and restored, and the copy runs', async () => {
  const data = join(folder, 'data');
  const first = await serve({ MILLRACE_DATA_DIRECTORY: data });
  const key = apiKey(data);
  const flow = await fill(first, key);
  const waiting = await suspendedRun(first, key);
  const file = join(folder, 'folder.backup');
  expect(await cli(['backup', file, '--from', data])).toMatchObject({
    code: 69,
    faults: expect.stringContaining('Stop it first'),
  });
  await first.close();
  const written = await cli(['backup', file, '--from', data, '--json']);
  expect(written).toMatchObject({ code: 0, faults: '' });
  expect(written.json()).toMatchObject({ has_key: true, tables: expect.any(Number) });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await cli(['backup', file, '--from', data])).toMatchObject({ code: 66 });

  rmSync(data, { recursive: true });
  const restored = await cli(['restore', file, '--to', data, '--json']);
  expect(restored).toMatchObject({ code: 0, faults: '' });
  expect(restored.json<{ rows: number }>().rows).toBe(written.json<{ rows: number }>().rows);
  const second = await serve({ MILLRACE_DATA_DIRECTORY: data });
  try {
    expect(apiKey(data)).toBe(key);
    await requireContinued(second, key, waiting);
    await requireCopy(second, key, flow);
  } finally {
    await second.close();
  }
  expect(await cli(['restore', file, '--to', data])).toMatchObject({
    code: 77,
    faults: expect.stringContaining('has records'),
  });
}, 240_000);

test('a PostgreSQL database is backed up while it is used, and restored into another one and into a data folder', async () => {
  const [url, other] = [await emptyDatabase(), await emptyDatabase()];
  const secret = randomBytes(32).toString('base64');
  const key = `sk-${randomBytes(24).toString('hex')}`;
  const settings = { DATABASE_URL: url, MILLRACE_ENCRYPTION_KEY: secret, MILLRACE_BOOTSTRAP_API_KEY: key };
  const first = await serve(settings);
  const file = join(folder, 'server.backup');
  let flow: string;
  let answers: unknown;
  try {
    flow = await fill(first, key);
    answers = await runsWithTemplates(first, key, flow, url);
    expect(await cli(['backup', file], { environment: settings })).toMatchObject({ code: 0 });
  } finally {
    await first.close();
  }
  const lost = { DATABASE_URL: other };
  expect(await cli(['restore', file], { environment: lost })).toMatchObject({
    code: 64,
    faults: expect.stringContaining('--key-output'),
  });
  const wrong = { ...lost, MILLRACE_ENCRYPTION_KEY: randomBytes(32).toString('base64') };
  expect(await cli(['restore', file], { environment: wrong })).toMatchObject({
    code: 78,
    faults: expect.stringContaining('nothing was restored'),
  });
  const keyFile = join(folder, 'restored.key');
  expect(await cli(['restore', file, '--key-output', keyFile], { environment: lost })).toMatchObject({
    code: 0,
  });
  expect(readFileSync(keyFile, 'utf8').trim()).toBe(secret);
  const second = await serve({ ...settings, DATABASE_URL: other });
  try {
    expect(await storedAnswers(second, key)).toEqual(answers);
    await requireCopy(second, key, flow);
  } finally {
    await second.close();
  }

  const data = join(folder, 'from-server');
  expect(await cli(['restore', file, '--to', data])).toMatchObject({ code: 0 });
  const third = await serve({ MILLRACE_DATA_DIRECTORY: data });
  try {
    expect(await storedAnswers(third, key)).toEqual(answers);
    await requireCopy(third, key, flow);
  } finally {
    await third.close();
  }
}, 240_000);

test('a backup that was cut off, changed, or is none stores nothing', async () => {
  const data = join(folder, 'damaged');
  const server = await serve({ MILLRACE_DATA_DIRECTORY: data });
  await fill(server, apiKey(data));
  await server.close();
  const file = join(folder, 'whole.backup');
  expect(await cli(['backup', file, '--from', data, '--without-key'])).toMatchObject({ code: 0 });
  const lines = gunzipSync(readFileSync(file)).toString();
  expect(lines).not.toContain(readFileSync(join(data, 'encryption-key'), 'utf8').trim());
  const cut = join(folder, 'cut.backup');
  writeFileSync(cut, readFileSync(file));
  truncateSync(cut, Math.floor(statSync(file).size / 2));
  const changed = join(folder, 'changed.backup');
  writeFileSync(changed, gzipSync(lines.replace('"Echo', '"Else')));
  const short = join(folder, 'short.backup');
  writeFileSync(short, gzipSync(lines.split('\n').slice(0, 20).join('\n')));
  const none = join(folder, 'none.backup');
  writeFileSync(none, gzipSync('{"flows": []}\n'));
  const environment = {
    DATABASE_URL: await emptyDatabase(),
    MILLRACE_ENCRYPTION_KEY: readFileSync(join(data, 'encryption-key'), 'utf8').trim(),
  };
  for (const bad of [cut, changed, short, none, join(folder, 'missing.backup')]) {
    const { code, faults } = await cli(['restore', bad], { environment });
    expect([bad, code, faults]).toEqual([bad, 66, expect.stringMatching(/backup|no file/)]);
  }
  const [to, keys] = [join(folder, 'refused'), join(folder, 'refused-keys')];
  for (const bad of [cut, none]) {
    expect(await cli(['restore', bad, '--to', to, '--key-output', keys])).not.toMatchObject({ code: 0 });
    expect([existsSync(to), existsSync(keys)]).toEqual([false, false]);
  }
  const database = await openDatabase({ url: environment.DATABASE_URL, name: 'test', logger });
  const { rows } = await database.query({ text: 'SELECT 1 FROM users' });
  expect(rows).toEqual([]);
  await database.close();
});

test('every table is part of a backup, after those that it refers to', async () => {
  const database = await openMigratedDatabase(logger);
  try {
    const tables = (await storedTables(database)).map(({ name }) => name);
    const { rows } = await database.query<{ name: string }>({
      text: `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'`,
    });
    const without = rows.map(({ name }) => name).filter((name) => !tables.includes(name));
    expect(without.sort()).toEqual(['backlog_counts', 'schema_migrations']);
    expect(tables.indexOf('users')).toBeLessThan(tables.indexOf('flows'));
    expect(tables.indexOf('runs')).toBeLessThan(tables.indexOf('run_effects'));
  } finally {
    await database.close();
  }
});
