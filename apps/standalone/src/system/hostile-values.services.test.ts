import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  arbitraryRequest,
  closeConnections,
  hostileNumbers,
  hostileTexts,
  sendRequest,
} from '@millrace/gateway/testing';
import { createLogger, createMetrics, Health, readSettings } from '@millrace/service';
import { propertyCases, until } from '@millrace/service/testing';
import fc from 'fast-check';
import { Client } from 'pg';
import { openStandalone } from '../open-standalone';
import type { Standalone } from '../open-standalone';
import { standaloneSettings } from '../settings';

/** How many requests each route gets, and how many values are tried in the members of bodies. */
const REQUESTS_PER_ROUTE = Number(process.env['TEST_HOSTILE_REQUESTS'] ?? 2);
const MEMBERS = Number(process.env['TEST_HOSTILE_MEMBERS'] ?? propertyCases(200));
const SEED = Number(process.env['TEST_SEED'] ?? Date.now() % 1_000_000);
/** After so many requests the work of the neighbour is checked. */
const BATCH = 100;
const DEADLINE_MILLISECONDS = 30_000;
const EXAMPLES = join(__dirname, '../../../../examples');
const echo = (JSON.parse(readFileSync(join(EXAMPLES, 'echo.json'), 'utf8')) as { data: unknown }).data;
const hook = (JSON.parse(readFileSync(join(EXAMPLES, 'order-webhook.json'), 'utf8')) as { data: unknown })
  .data;

type Answer = Readonly<Record<string, unknown>>;
type Paths = Readonly<
  Record<string, Readonly<Record<string, Parameters<typeof arbitraryRequest>[0]['operation']>>>
>;

const database = `millrace_hostile_${process.pid}_${Date.now() % 100_000}`;
const folder = mkdtempSync(join(tmpdir(), 'millrace-hostile-'));
const reports: string[] = [];
const receiver = createServer((request, response) => {
  request
    .on('data', (part: Buffer) => reports.push(part.toString()))
    .on('end', () => response.writeHead(204).end());
});
const counts = { requests: 0, accepted: 0, refused: 0, checks: 0 };
let administrator: Client;
let client: Client;
let app: Standalone;
let databaseUrl: string;
/** Of the log. */
const lines: string[] = [];
let admin: string;
let hostile: string;
let neighbour: { readonly key: string; readonly flow: string; readonly schedule: string };

beforeAll(async () => {
  administrator = new Client({ connectionString: process.env['DATABASE_URL'] ?? '' });
  await administrator.connect();
  await administrator.query(`CREATE DATABASE ${database}`);
  const url = new URL(process.env['DATABASE_URL'] ?? '');
  url.pathname = `/${database}`;
  client = new Client({ connectionString: url.href });
  await client.connect();
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  databaseUrl = url.href;
  app = await openApp(databaseUrl);
  admin = await app.makeKey('admin');
  hostile = await newUser('hostile');
  neighbour = await newNeighbour();
}, 300_000);

afterAll(async () => {
  closeConnections();
  await app?.close();
  receiver.close();
  await client?.end();
  await administrator.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  await administrator.end();
  rmSync(folder, { recursive: true, force: true });
}, 120_000);

function openApp(url: string): Promise<Standalone> {
  const environment = {
    DATABASE_URL: url,
    ...{ PORT: '0', MILLRACE_DATA_DIRECTORY: folder, MILLRACE_EXAMPLES_DIRECTORY: join(folder, 'none') },
    ...{ MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32', MILLRACE_BACKLOG_INTERVAL_SECONDS: '1' },
    ...{ MILLRACE_RUN_DEADLINE_SECONDS: '2', MILLRACE_KEY_REQUESTS_PER_SECOND: '1000000' },
  };
  return openStandalone({
    settings: readSettings(standaloneSettings, environment),
    logger: createLogger({
      name: 'test',
      level: 'warn',
      destination: { write: (line) => void lines.push(line) },
    }),
    metrics: createMetrics(),
    health: new Health(),
    environment,
    advice: { command: 'millrace up', besidesAnother: '' },
  });
}

async function call(
  key: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; text: string; json: Answer }> {
  const accept = 'application/json, text/event-stream';
  const headers = {
    'x-api-key': key,
    accept,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const bytes = body === undefined ? null : Buffer.from(JSON.stringify(body));
  const { status, text } = await sendRequest(
    app.url,
    { method, path, headers, body: bytes },
    DEADLINE_MILLISECONDS,
  );
  return { status, text, json: (text.startsWith('{') ? JSON.parse(text) : {}) as Answer };
}

async function made(key: string, path: string, body: unknown): Promise<Answer> {
  const { status, json } = await call(key, 'POST', path, body);
  if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(json)}`);
  return json;
}

/** Creates a user; resolves to its key. */
async function newUser(username: string): Promise<string> {
  return String((await made(admin, '/api/v1/users/', { username }))['api_key']);
}

/** Creates a user whose background work uses each part that reads rows of several users. */
async function newNeighbour() {
  const key = await newUser('neighbour');
  await made(key, '/api/v1/variables/', { name: 'SECRET', value: 'whsec_c2VjcmV0c2VjcmV0c2VjcmV0' });
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const settings = { concurrency: 1, callbacks: [{ url, secrets: ['SECRET'] }] };
  const flow = await made(key, '/api/v1/flows/', {
    name: 'tool',
    mcp_enabled: true,
    data: hook,
    webhook: true,
    settings,
  });
  const body = { flow_id: flow['id'], name: 'beat', kind: 'schedule', config: { every_seconds: 1 } };
  const { id } = await made(key, '/api/v1/triggers', body);
  await made(key, `/api/v1/triggers/${String(id)}/enable`, undefined);
  return { key, flow: String(flow['id']), schedule: String(id) };
}

/** A webhook is accepted, released, run and reported, schedules fire, and what is read over all users can be read. */
async function checkNeighbour(): Promise<void> {
  const { key, flow, schedule } = neighbour;
  counts.checks += 1;
  const accepted = await call(key, 'POST', `/api/v1/webhook/${flow}`, { order: counts.checks });
  expect(accepted.status).toBe(202);
  const run = String(accepted.json['run_id']);
  await until(
    async () => (await call(key, 'GET', `/api/v1/runs/${run}`)).json['status'] === 'succeeded',
    'the run succeeds',
  );
  await until(() => reports.some((report) => report.includes(run)), 'the run is reported');
  const firedAt = async () => (await call(key, 'GET', `/api/v1/triggers/${schedule}`)).json['last_fired_at'];
  const before = await firedAt();
  await until(async () => (await firedAt()) !== before, 'the schedule fires');
  for (const path of ['/api/v1/workers', '/api/v1/autoscale'])
    expect([path, (await call(admin, 'GET', path)).status]).toEqual([path, 200]);
  const tools = await call(key, 'POST', '/api/v1/mcp/streamable', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
  });
  expect(tools.text).toContain('"name":"tool"');
  const ended = await call(key, 'GET', '/api/v1/runs?limit=5');
  expect(ended.status).toBe(200);
}

/** Sends a request as the hostile user; rejects when the answer is an error that is not the caller's. */
async function attack(request: Parameters<typeof sendRequest>[1]): Promise<{ status: number; json: Answer }> {
  const { status, headers, text } = await sendRequest(app.url, request, DEADLINE_MILLISECONDS);
  counts.requests += 1;
  counts[status < 400 ? 'accepted' : 'refused'] += 1;
  if (headers['x-error-code'] === 'internal' || (status >= 500 && ![500, 501, 503, 504].includes(status)))
    throw new Error(`${request.method} ${request.path} answered ${status}: ${text.slice(0, 500)}`);
  if (counts.requests % BATCH === 0) await checkNeighbour();
  return { status, json: (text.startsWith('{') ? JSON.parse(text) : {}) as Answer };
}

const json = (method: string, path: string, body: unknown, headers: Record<string, string> = {}) => ({
  ...{ method, path, headers: { 'x-api-key': hostile, 'content-type': 'application/json', ...headers } },
  body: Buffer.from(JSON.stringify(body)),
});

/** Bodies whose members are all valid, and what is done with the record that is created. */
function bodies(flow: string): readonly { readonly path: string; readonly body: object }[] {
  const signature = {
    scheme: 'hmac',
    secrets: ['SECRET'],
    header: 'x-signature',
    encoding: 'hex',
    toleranceSeconds: 5,
  };
  const webhook = {
    challenge: { scheme: 'meta', secrets: ['SECRET'] },
    deliveryIdHeader: 'x-id',
    form: 'json',
  };
  const callbacks = [
    { url: 'https://receiver.test/x', secrets: ['SECRET'], on: ['finished'], result: 'omit' },
    { amqp: { connection: 'SECRET', exchange: 'x', routingKey: 'k' } },
  ];
  const settings = {
    ...{
      pool: 'default',
      durable: true,
      concurrency: 2,
      deadlineSeconds: 5,
      unfinishedEffects: 'retry',
      callbacks,
    },
    ...{
      retry: { attempts: 2, backoffSeconds: 1, maximumBackoffSeconds: 1, on: ['internal'] },
      cache: { ttlSeconds: 5 },
    },
    ...{ records: { sampleRate: 0.5, values: 'all' }, editedCode: 'stock', webhook },
  };
  const named = { name: 'n', description: 'd', endpoint_name: 'e', icon: 'i', tags: ['t'], gradient: 'g' };
  const action = { mcp_enabled: true, action_name: 'a', action_description: 'b' };
  const schedule = (config: object) => ({
    flow_id: flow,
    name: 's',
    kind: 'schedule',
    config,
    node_id: 'x',
    max_attempts: 2,
  });
  const common = {
    catchup_policy: 'all',
    catchup_limit: 5,
    overlap_policy: 'allow',
    jitter_seconds: 1,
    share_session: true,
  };
  const queue = {
    connection: 'SECRET',
    queue: 'q',
    prefetch: 1,
    dedupe_by: 'header:x',
    body: 'json',
    input_value: '/a',
    reply: true,
  };
  const run = {
    input_value: 'x',
    session_id: 's',
    input_type: 'chat',
    output_type: 'chat',
    tweaks: { 'ChatInput-echo1': { sender: 's', sender_name: 'n', session_id: 'z' } },
  };
  return [
    { path: '/api/v1/flows/', body: { ...named, ...action, data: echo, settings } },
    {
      path: '/api/v1/flows/',
      body: { name: 'n', webhook: true, data: hook, settings: { webhook: { signature } } },
    },
    { path: '/api/v1/triggers', body: schedule({ cron: '* * * * *', timezone: 'UTC', ...common }) },
    {
      path: '/api/v1/triggers',
      body: schedule({ every_seconds: 1, start_at: '2026-01-01T00:00:00Z', ...common }),
    },
    { path: '/api/v1/triggers', body: schedule({ at: '2030-01-01T00:00:00Z', timezone: 'Europe/Vienna' }) },
    {
      path: '/api/v1/triggers',
      body: { ...schedule(queue), kind: 'rabbitmq', session_policy: 'shared', concurrency_limit: 2 },
    },
    { path: '/api/v1/schedules/preview', body: { config: { cron: '* * * * *', timezone: 'UTC' } } },
    { path: '/api/v1/variables/', body: { name: 'v', value: 'w', type: 'Generic', default_fields: ['f'] } },
    { path: '/api/v1/api_key/', body: { name: 'k', expires_at: '2030-01-01T00:00:00Z', scopes: ['run'] } },
    { path: `/api/v1/run/${flow}`, body: run },
    {
      path: `/api/v1/run/advanced/${flow}`,
      body: {
        inputs: [{ input_value: 'x', session: 's', type: 'chat' }],
        outputs: ['o'],
        tweaks: {},
        session_id: 's',
      },
    },
    {
      path: '/api/v1/runs/bulk',
      body: {
        action: 'replay',
        dry_run: true,
        filter: {
          flow_id: flow,
          pool: 'p',
          session_id: 's',
          error_code: 'e',
          vertex_id: 'v',
          accepted_from: '2026-01-01T00:00:00Z',
          flow_version: 1,
        },
      },
    },
    { path: '/api/v2/mcp/servers/name', body: { url: 'https://mcp.test/', headers: { a: 'b' } } },
    {
      path: '/api/v1/responses',
      body: { model: flow, input: 'x', previous_response_id: 'p', stream: false },
    },
    {
      path: '/v1/chat/completions',
      body: { model: flow, messages: [{ role: 'user', content: 'x' }], user: 'u' },
    },
    {
      path: '/api/v1/mcp/streamable',
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 't', arguments: { input_value: 'x', session_id: 's' } },
      },
    },
  ];
}

/** Paths of all values and of all names within a value. */
function placesIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Object.entries(value).flatMap(([name, member]) =>
    // Within the document of a flow, a few places are enough.
    name === 'data' ? [] : placesIn(member, [...path, name]),
  );
  return [path, ...inner];
}

function withValue(body: unknown, path: readonly string[], value: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const copy = Array.isArray(body) ? [...(body as unknown[])] : { ...(body as object) };
  (copy as Record<string, unknown>)[name] = withValue((body as Record<string, unknown>)[name], rest, value);
  return copy;
}

/** Replaces a mark in every text and JSON of the database by what PostgreSQL stores in JSON and cannot read. */
async function poison(mark: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ table: string; column: string; type: string }>(
    `SELECT table_name AS table, column_name AS column, data_type AS type FROM information_schema.columns
      WHERE table_schema = 'public' AND data_type IN ('text', 'json') AND table_name NOT LIKE 'audit%'`,
  );
  const places: string[] = [];
  for (const { table, column, type } of rows) {
    const { rowCount } = await client.query(
      String.raw`UPDATE ${table} SET ${column} = replace(${column}::text, $1, '\ud800\u0000')::${type} WHERE ${column}::text LIKE '%' || $1 || '%'`,
      [mark],
    );
    if (rowCount) places.push(`${table}.${column}`);
  }
  return places;
}

test('a database with rows that PostgreSQL cannot read, each in another place, heals without a hand', async () => {
  const MARK = 'POISON';
  await made(hostile, '/api/v1/variables/', {
    name: MARK,
    type: 'Credential',
    value: 'amqp://127.0.0.1:1',
    default_fields: [MARK],
  });
  const webhooks = [
    { webhook: { signature: { scheme: 'github', secrets: [MARK] } } },
    { webhook: { challenge: { scheme: 'meta', secrets: [MARK] } } },
    { callbacks: [{ url: 'https://receiver.test/', secrets: [MARK] }] },
    { callbacks: [{ url: `https://receiver.test/${MARK}`, secrets: [MARK] }] },
    { callbacks: [{ amqp: { connection: MARK, exchange: MARK, routingKey: MARK } }] },
    { callbacks: [{ amqp: { connection: MARK, exchange: '', routingKey: MARK } }] },
  ];
  const flows: string[] = [];
  for (const settings of webhooks) {
    const action = { mcp_enabled: true, action_name: MARK, action_description: `${MARK} ${flows.length}` };
    const body = {
      name: `${MARK} ${flows.length}`,
      ...action,
      data: echo,
      settings: { concurrency: 1, ...settings },
    };
    flows.push(String((await made(hostile, '/api/v1/flows/', body))['id']));
  }
  const trigger = {
    flow_id: flows[0],
    name: MARK,
    node_id: MARK,
    kind: 'schedule',
    config: { every_seconds: 1 },
  };
  const schedule = String((await made(hostile, '/api/v1/triggers', trigger))['id']);
  await made(hostile, `/api/v1/triggers/${schedule}/enable`, undefined);
  const background = (flow: string, callback: Record<string, string> = {}) =>
    attack(
      json(
        'POST',
        `/api/v1/run/${flow}`,
        { input_value: MARK, session_id: MARK },
        { prefer: 'respond-async', ...callback },
      ),
    );
  const reported = { 'x-callback-url': `https://receiver.test/${MARK}`, 'x-callback-secret': MARK };
  const runs: string[] = [];
  for (const flow of flows) runs.push(String((await background(flow, reported)).json['run_id']));
  const stateOf = async (id: string) => (await call(hostile, 'GET', `/api/v1/runs/${id}`)).json['status'];
  for (const id of runs) await until(async () => (await stateOf(id)) === 'succeeded', 'the run succeeds');
  await app.close();

  await client.query(`UPDATE triggers SET config = jsonb_set(config::jsonb, $2, '1')::json WHERE id = $1`, [
    schedule,
    [MARK],
  ]);
  // One run waits in the backlog, one runs on a lost executor, and one has failed.
  const again = `attempt = 0, result = NULL, finished_at = NULL, worker = NULL`;
  await client.query(
    `UPDATE runs SET status = 'accepted', next_sweep_at = 'infinity', ${again} WHERE id = $1`,
    [runs[0]],
  );
  await client.query(
    `UPDATE runs SET status = 'queued', next_sweep_at = now(), retry = $2, ${again} WHERE id = $1`,
    [runs[1], MARK],
  );
  await client.query(`UPDATE runs SET status = 'failed', failure = $2 WHERE id = $1`, [
    runs[2],
    JSON.stringify({ code: 'internal', message: MARK }),
  ]);
  const places = await poison(MARK);
  expect(places).toEqual(
    expect.arrayContaining([
      ...[
        'flows.settings',
        'flows.attributes',
        'triggers.config',
        'runs.request',
        'runs.result',
        'runs.callback',
      ],
      ...[
        'runs.retry',
        'runs.failure',
        'messages.body',
        'callback_deliveries.secrets',
        'callback_deliveries.amqp',
      ],
    ]),
  );

  app = await openApp(databaseUrl);
  await checkNeighbour();
  for (const id of [runs[0] ?? '', runs[1] ?? ''])
    await until(async () => (await stateOf(id)) === 'succeeded', 'the run succeeds');
  for (const [method, path] of [
    ['POST', `/api/v1/runs/${String(runs[2])}/replay`],
    ...[
      '/api/v1/runs',
      '/api/v1/flows/',
      '/api/v1/callbacks',
      `/api/v1/triggers/${schedule}`,
      '/api/v1/monitor/messages',
    ].map((one) => ['GET', one]),
  ] as const)
    expect([
      path,
      (await call(hostile, String(method), String(path), method === 'POST' ? {} : undefined)).status < 300,
    ]).toEqual([path, true]);
  const tools = await call(hostile, 'POST', '/api/v1/mcp/streamable', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
  });
  expect(tools.status).toBe(200);
  for (const flow of flows) {
    const id = String((await background(flow)).json['run_id']);
    await until(async () => (await stateOf(id)) === 'succeeded', 'a new run succeeds');
  }
  expect(
    lines.some((line) => line.includes('the database cannot read') && line.includes(String(flows[0]))),
  ).toBe(true);
  await checkNeighbour();
}, 600_000);

test('values that one side takes and another refuses, in every member of bodies, leave the work of a neighbour alone', async () => {
  await call(hostile, 'POST', '/api/v1/variables/', {
    name: 'SECRET',
    value: 'amqp://127.0.0.1:1',
    type: 'Credential',
  });
  const flow = String(
    (await made(hostile, '/api/v1/flows/', { name: 'base', endpoint_name: 'base', data: echo }))['id'],
  );
  const all = bodies(flow);
  const cases = all.flatMap(({ path, body }, index) =>
    placesIn(body).map((place) => ({ path, index, place })),
  );
  const values = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom<unknown[]>(...hostileTexts) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<unknown[]>(...hostileNumbers, null, {}, [], { '\ud800': 1 }, [['\u0000']]),
    },
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...cases), values, async ({ path, index, place }, value) => {
      const headers: Record<string, string> = path.includes('/run/') ? { prefer: 'respond-async' } : {};
      const { status, json: created } = await attack(
        json('POST', path, withValue(all[index]?.body, place, value), headers),
      );
      if (status >= 300) return;
      const id = String(created['id']);
      // The record is used, as its owner would: its runs end, its schedule fires, it is changed and listed.
      if (path === '/api/v1/flows/') {
        await attack(json('POST', `/api/v1/webhook/${id}`, { a: 1 }));
        await attack(
          json(
            'POST',
            `/api/v1/run/${id}`,
            { input_value: 'x' },
            { prefer: 'respond-async', 'idempotency-key': id },
          ),
        );
        await attack(json('PATCH', `/api/v1/flows/${id}`, { description: 'changed' }));
      } else if (path === '/api/v1/triggers') {
        await attack(json('POST', `/api/v1/triggers/${id}/enable`, {}));
        await attack(json('POST', `/api/v1/triggers/${id}/test`, {}));
      }
    }),
    { numRuns: MEMBERS, seed: SEED, endOnFailure: true },
  );
  await checkNeighbour();
}, 1_800_000);

test('such values in paths, queries, headers and bodies of every route leave the work of a neighbour alone', async () => {
  const { paths } = (await (await fetch(`${app.url}/openapi.json`)).json()) as { paths: Paths };
  const flow = String((await made(hostile, '/api/v1/flows/', { name: 'every', data: echo }))['id']);
  const documents = [
    { name: 'x', data: echo },
    { name: 'y', data: hook },
  ];
  for (const [template, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      // These have no end, or end the session of the hostile user.
      if (template.includes('/events')) continue;
      const known = [flow, 'every', ...hostileTexts];
      const requests = arbitraryRequest({
        method: method.toUpperCase(),
        template,
        operation,
        key: hostile,
        known,
        documents,
      });
      await fc.assert(
        fc.asyncProperty(requests, async (request) => void (await attack(request))),
        {
          numRuns: REQUESTS_PER_ROUTE,
          seed: SEED,
          endOnFailure: true,
        },
      );
    }
  await checkNeighbour();
  console.info(`seed ${SEED}: ${JSON.stringify(counts)}`);
}, 1_800_000);
