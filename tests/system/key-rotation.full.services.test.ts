import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startModelProcess, startRollingSystem, startSteadyLoad } from '@millrace/scaled-system';
import { Client } from 'pg';
import { removeQueues } from './test-system';

/** How long the load goes on between two steps; increase it for a long manual run. */
const SECONDS = Number(process.env['TEST_ROTATION_SECONDS'] ?? 1);
const CALLERS = 8;
const ROOT = join(__dirname, '../..');
const MODEL_KEY = 'sk-stored-as-a-variable';

const server = process.env['DATABASE_URL'] ?? '';
const name = `millrace_rotation_${randomBytes(6).toString('hex')}`;
const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
const [old, fresh] = [randomBytes(32), randomBytes(32)].map((key) => key.toString('base64')) as [
  string,
  string,
];
let administrator: Client;
let database: Client;

beforeAll(async () => {
  administrator = new Client({ connectionString: server });
  await administrator.connect();
  await administrator.query(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`);
  database = new Client({ connectionString: url });
  await database.connect();
});
afterAll(async () => {
  await removeQueues(process.env['AMQP_URL'] ?? '', `${name}.`, ['default']);
  await database.end();
  await administrator.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await administrator.end();
});

/** Runs the command `millrace secrets` on the database; resolves to its JSON and its exit code. */
async function secrets(word: string, ...keys: string[]) {
  const environment = {
    ...process.env,
    DATABASE_URL: url,
    MILLRACE_ENCRYPTION_KEY: keys.join(','),
    MILLRACE_PREFIX: `${name}.`,
  };
  const words = [join(ROOT, 'dist/apps/cli/main.cjs'), 'secrets', word, '--json'];
  const { stdout, code } = await promisify(execFile)(process.execPath, words, { env: environment }).then(
    (ended) => ({ ...ended, code: 0 }),
    (error: { stdout: string; code: number }) => error,
  );
  const { places } = JSON.parse(stdout) as {
    places: { place: string; reencrypted?: number; other_keys: number }[];
  };
  return { code, places, reencrypted: places.reduce((sum, one) => sum + (one.reencrypted ?? 0), 0) };
}

test('the encryption key is replaced under load, and no run fails', async () => {
  const model = await startModelProcess({ key: MODEL_KEY });
  const system = await startRollingSystem({
    urls: {
      database: url,
      broker: process.env['AMQP_URL'] ?? '',
      keyValue: process.env['REDIS_URL'] ?? '',
    },
    prefix: `${name}.`,
    environment: {
      MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32',
      OPENAI_BASE_URL: model.url,
      MILLRACE_ENCRYPTION_KEY: old,
    },
  });
  const withKeys = (...keys: string[]) =>
    system.replace({
      environment: { MILLRACE_ENCRYPTION_KEY: keys.join(',') },
      order: 'executors first',
    });
  try {
    const call = async (path: string, body: unknown) => {
      const response = await fetch(`${system.url()}${path}`, {
        method: 'POST',
        headers: { 'x-api-key': system.key, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(201);
      await response.arrayBuffer();
    };
    const flow = JSON.parse(readFileSync(join(ROOT, 'examples/chat.json'), 'utf8')) as object;
    await call('/api/v1/flows/', { ...flow, endpoint_name: 'rotation-chat' });
    // The model server refuses another key: a run whose variable cannot be decrypted fails.
    await call('/api/v1/variables/', {
      name: 'OPENAI_API_KEY',
      value: MODEL_KEY,
      type: 'Credential',
      default_fields: [],
    });
    const body = { input_value: 'hello', tweaks: { 'Chat Output': { sender_name: 'Tweaked' } } };
    const common = { path: '/api/v1/run/rotation-chat', body };
    const load = startSteadyLoad({
      url: system.url,
      key: system.key,
      callers: CALLERS,
      forms: [
        { ...common, name: 'interactive', status: 200, contains: '"sender_name":"Tweaked"' },
        {
          ...common,
          name: 'durable',
          status: 202,
          contains: 'run_id',
          isKeyed: true,
          headers: { prefer: 'respond-async', 'x-langflow-global-var-note': 'of the caller' },
        },
      ],
    });
    const step = () => pause(SECONDS * 1_000);
    await step();
    await withKeys(old, fresh);
    await step();
    await withKeys(fresh, old);
    const rotated = [await secrets('rotate', fresh, old)];
    await step();
    // Requests of runs that an old process accepted before it ended.
    rotated.push(await secrets('rotate', fresh, old));
    expect(rotated[0]?.reencrypted).toBeGreaterThan(1);
    expect(rotated.at(-1)).toMatchObject({ code: 0 });
    await withKeys(fresh);
    await step();
    const { answered, faults, runIds, refused, longestRefusalMilliseconds } = await load.stop();
    await allEnded();
    const { rows: ends } = await database.query<{ status: string; runs: string }>(
      'SELECT status, count(*) AS runs FROM runs GROUP BY status',
    );
    process.stdout.write(
      `key rotation: ${answered} requests, ${refused} refused and repeated (longest ${Math.round(longestRefusalMilliseconds)} ms), ` +
        `${rotated.map(({ reencrypted }) => reencrypted).join(' and ')} values encrypted again, runs ${JSON.stringify(ends)}\n`,
    );
    expect(faults).toEqual([]);
    expect(ends.map(({ status }) => status)).toEqual(['succeeded']);
    const { rows } = await database.query<{ id: string }>('SELECT id FROM runs WHERE durable');
    const stored = new Set(rows.map(({ id }) => id));
    expect(runIds.filter((id) => !stored.has(id))).toEqual([]);
    expect(await secrets('status', fresh)).toMatchObject({ code: 0 });
  } finally {
    await system.stop();
    await model.stop();
  }
}, 480_000);

/** Resolves when no run waits; the timeout of the test is the limit. */
async function allEnded(): Promise<void> {
  for (;;) {
    const { rows } = await database.query(
      `SELECT FROM runs WHERE status IN ('accepted', 'queued', 'running') LIMIT 1`,
    );
    if (rows.length === 0) return;
    await pause(100);
  }
}
