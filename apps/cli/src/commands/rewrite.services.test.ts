import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, openDatabase } from '@millrace/database';
import type { Database } from '@millrace/database';
import { examineTexts, FlowStore, RunStore, UserStore } from '@millrace/runs';
import { createLogger, uuidv7 } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { Client } from 'pg';
import { cli } from '../testing/test-shell';

const logger = createLogger({ name: 'test', level: 'silent' });
const name = `millrace_rewrite_${randomBytes(6).toString('hex')}`;
const server = process.env['DATABASE_URL'] ?? '';
const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
let folder: string;
let administrator: Client;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-rewrite-'));
  administrator = new Client({ connectionString: server });
  await administrator.connect();
  await administrator.query(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`);
});
afterAll(async () => {
  await administrator.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await administrator.end();
  rmSync(folder, { recursive: true, force: true });
});

const environment = { DATABASE_URL: url };
const rewrite = (...words: string[]) => cli(['rewrite', ...words], { environment });

type Place = { url: string } | { url: undefined; dataDirectory: string };

async function opened<T>(place: Place, work: (database: Database) => Promise<T>) {
  const database = await openDatabase({ ...place, name: 'test', logger, maximumConnections: 2 });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Records runs until one has a template; resolves to the results by run. */
function fill(place: Place) {
  return opened(place, async (database) => {
    await migrate(database, { logger });
    const user = await new UserStore({ database }).create({
      username: uuidv7(),
      isAdmin: true,
    });
    const flow = await new FlowStore({ database }).create(user.id, { name: 'flow', document: {} });
    const store = new RunStore({ database });
    const results = new Map<string, string>();
    await until(async () => {
      const id = uuidv7();
      const result = JSON.stringify({
        session_id: id,
        outputs: [{ inputs: { input_value: 'x'.repeat(50) } }],
      });
      results.set(id, result);
      const now = new Date();
      await store.record([
        {
          id,
          flowId: flow.id,
          flowVersion: 1,
          userId: user.id,
          lane: 'interactive',
          pool: 'default',
          origin: 'run',
          request: {
            form: 'simple',
            inputs: [],
            outputs: { by: 'type', type: 'chat' },
            tweaks: {},
            stream: false,
            sessionId: id,
            globalVariables: {},
          },
          sessionId: id,
          limitMilliseconds: 1_000,
          maximumAttempts: 1,
          attempt: 1,
          worker: 'test',
          status: 'succeeded',
          result,
          failure: null,
          acceptedAt: now,
          startedAt: now,
          finishedAt: now,
          messages: [],
        },
      ]);
      return (await examineTexts(database)).areCoded;
    }, 'no text got a template');
    return results;
  });
}

const storedResults = (place: Place) =>
  opened(place, async (database) => {
    const { rows } = await database.query<{ id: string; result: string }>({
      text: 'SELECT id, result FROM runs',
    });
    return new Map(rows.map(({ id, result }) => [id, result]));
  });

test('the texts of a server are rewritten, also those of an installation that is held for earlier services', async () => {
  expect(await rewrite()).toMatchObject({ code: 66, faults: expect.stringContaining('has no tables') });
  const results = await fill({ url });
  const first = await rewrite('--json');
  expect(first).toMatchObject({ code: 0, faults: '' });
  expect(first.json()).toMatchObject({
    complete: true,
    tables: [
      { table: 'runs', rows: results.size, rewritten: expect.any(Number), locked: 0, missing: 0 },
      { table: 'messages', rewritten: 0 },
      { table: 'bodies', rewritten: 0 },
      { table: 'files', rewritten: 0 },
    ],
  });
  expect(await storedResults({ url })).toEqual(results);
  let isOver = false;
  const held = rewrite('--hold').finally(() => (isOver = true));
  await until(async () => {
    const { rows } = await administrator.query(
      `SELECT FROM pg_stat_activity WHERE datname = $1 AND application_name = 'millrace-cli' AND query LIKE '%application_name ~%'`,
      [name],
    );
    return rows.length > 0;
  }, 'the command did not wait for an earlier service');
  expect(isOver).toBe(false);
  const earlier = new Client({ connectionString: url, application_name: 'millrace-gateway-before' });
  await earlier.connect();
  expect(await held).toMatchObject({
    code: 0,
    output: expect.stringMatching(/runs +\d+ +0 +0 +0\n[^]*Releases before 0.2 read all texts/),
    faults: expect.stringContaining('Replace the services now.'),
  });
  await earlier.end();
  await administrator.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
    name,
  ]);
}, 60_000);

test('a text without its template is named, and the command ends with 1', async () => {
  await fill({ url });
  const { rows } = await opened({ url }, (database) =>
    database.query<{ id: string }>({
      text: `UPDATE runs SET usage = '~--none--' WHERE id = (SELECT id FROM runs LIMIT 1) RETURNING id`,
    }),
  );
  expect(await rewrite()).toMatchObject({
    code: 1,
    output: expect.stringContaining(`Cannot be read: runs ${rows[0]?.id}`),
  });
}, 60_000);

test('a data folder is rewritten while its server is stopped', async () => {
  const data = join(folder, 'data');
  expect(await cli(['rewrite', '--at', data])).toMatchObject({ code: 66 });
  const place = { url: undefined, dataDirectory: join(data, 'database') };
  const results = await fill(place);
  await opened(place, async () => {
    expect(await cli(['rewrite', '--at', data])).toMatchObject({
      code: 69,
      faults: expect.stringContaining('Stop it first'),
    });
  });
  expect(await cli(['rewrite', '--at', data, '--hold'])).toMatchObject({ code: 64 });
  expect(await cli(['rewrite', '--at', data])).toMatchObject({
    code: 0,
    output: expect.stringContaining('Releases before 0.2 read all texts in the data folder'),
  });
  expect(await storedResults(place)).toEqual(results);
}, 60_000);
