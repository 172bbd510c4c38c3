import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeConnections, sendRequest } from '@millrace/gateway/testing';
import { Encryption } from '@millrace/runs';
import { createLogger, createMetrics, Health, readSettings } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { openStandalone, standaloneSettings } from '@millrace/standalone';
import type { Standalone } from '@millrace/standalone';
import { Client } from 'pg';

/** After so many requests of the hostile user the work of the neighbour is checked. */
const BATCH = 100;
const DEADLINE_MILLISECONDS = 30_000;
const EXAMPLES = join(__dirname, '../../examples');
const documentOf = (name: string) =>
  (JSON.parse(readFileSync(join(EXAMPLES, name), 'utf8')) as { data: unknown }).data;
export const echo = documentOf('echo.json');
export const hook = documentOf('order-webhook.json');

export type Answer = Readonly<Record<string, unknown>>;
export type HostileInstallation = Awaited<ReturnType<typeof openHostileInstallation>>;

/**
 * Whether a server error comes of the caller's own flow: it failed or was too slow, or its pool, which a value can name, has
 * no executor. Any other 503 means that a part is unavailable for all users.
 */
function isOfCaller(status: number, code: string): boolean {
  if (status === 503) return code === 'no_executor';
  return [500, 501, 504].includes(status) && code !== 'internal';
}

/** Opens an installation on a database of its own on the PostgreSQL server, with a hostile user and a neighbour. */
export async function openHostileInstallation() {
  const database = `millrace_hostile_${process.pid}_${Date.now() % 100_000}`;
  const folder = mkdtempSync(join(tmpdir(), 'millrace-hostile-'));
  const reports: string[] = [];
  const receiver = createServer((request, response) => {
    request
      .on('data', (part: Buffer) => reports.push(part.toString()))
      .on('end', () => response.writeHead(204).end());
  });
  const counts = { requests: 0, accepted: 0, refused: 0, checks: 0 };
  const administrator = new Client({ connectionString: process.env['DATABASE_URL'] ?? '' });
  await administrator.connect();
  await administrator.query(`CREATE DATABASE ${database} ENCODING 'UTF8' TEMPLATE template0`);
  const url = new URL(process.env['DATABASE_URL'] ?? '');
  url.pathname = `/${database}`;
  const client = new Client({ connectionString: url.href });
  await client.connect();
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  /** Of the log. */
  const lines: string[] = [];
  let app: Standalone = await openApp();
  const admin = await app.makeKey('admin');
  const hostile = await newUser('hostile');
  const neighbour = await newNeighbour();

  return {
    client,
    counts,
    lines,
    hostile,
    encryption: () => Encryption.from([readFileSync(join(folder, 'encryption-key'), 'utf8')]),
    url: () => app.url,
    call,
    made,
    attack,
    json,
    checkNeighbour,
    reopen,
    close,
  };

  async function close(): Promise<void> {
    closeConnections();
    await app.close();
    receiver.close();
    await client.end();
    await administrator.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
    await administrator.end();
    rmSync(folder, { recursive: true, force: true });
  }

  /** Starts the app again, after work on its database. */
  async function reopen(work: () => Promise<void>): Promise<void> {
    await app.close();
    await work();
    app = await openApp();
  }

  function openApp(): Promise<Standalone> {
    const environment = {
      DATABASE_URL: url.href,
      PORT: '0',
      MILLRACE_DATA_DIRECTORY: folder,
      MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32',
      MILLRACE_BACKLOG_INTERVAL_SECONDS: '1',
      MILLRACE_RUN_DEADLINE_SECONDS: '2',
      MILLRACE_KEY_REQUESTS_PER_SECOND: '1000000',
    };
    return openStandalone({
      loadsExamples: false,
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
    const { status, json: received } = await call(key, 'POST', path, body);
    if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(received)}`);
    return received;
  }

  /** Creates a user; resolves to its key. */
  async function newUser(username: string): Promise<string> {
    return String((await made(admin, '/api/v1/users/', { username }))['api_key']);
  }

  /** Creates a user whose background work uses each part that reads rows of several users. */
  async function newNeighbour() {
    const key = await newUser('neighbour');
    await made(key, '/api/v1/variables/', { name: 'SECRET', value: 'whsec_c2VjcmV0c2VjcmV0c2VjcmV0' });
    const sink = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const settings = { concurrency: 1, callbacks: [{ url: sink, secrets: ['SECRET'] }] };
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

  /** Rejects when a request of a user beside the hostile one has another answer than this. */
  async function answer(key: string, status: number, method: string, path: string, body?: unknown) {
    const answered = await call(key, method, path, body);
    if (answered.status !== status)
      throw new Error(`${method} ${path} answered ${answered.status}: ${answered.text.slice(0, 500)}`);
    return answered;
  }

  /** A webhook is accepted, released, run and reported, schedules fire, and what is read over all users can be read. */
  async function checkNeighbour(): Promise<void> {
    const { key, flow, schedule } = neighbour;
    counts.checks += 1;
    const accepted = await answer(key, 202, 'POST', `/api/v1/webhook/${flow}`, { order: counts.checks });
    const run = String(accepted.json['run_id']);
    await until(
      async () => (await answer(key, 200, 'GET', `/api/v1/runs/${run}`)).json['status'] === 'succeeded',
      'the run succeeds',
    );
    await until(() => reports.some((report) => report.includes(run)), 'the run is reported');
    const firedAt = async () =>
      (await answer(key, 200, 'GET', `/api/v1/triggers/${schedule}`)).json['last_fired_at'];
    const before = await firedAt();
    await until(async () => (await firedAt()) !== before, 'the schedule fires');
    for (const path of ['/api/v1/workers', '/api/v1/autoscale']) await answer(admin, 200, 'GET', path);
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const tools = await answer(key, 200, 'POST', '/api/v1/mcp/streamable', list);
    expect(tools.text).toContain('"name":"tool"');
    await answer(key, 200, 'GET', '/api/v1/runs?limit=5');
  }

  /** Sends a request as the hostile user; rejects when the answer is an error that is not the caller's. */
  async function attack(
    request: Parameters<typeof sendRequest>[1],
  ): Promise<{ status: number; json: Answer }> {
    const { status, headers, text } = await sendRequest(app.url, request, DEADLINE_MILLISECONDS);
    counts.requests += 1;
    counts[status < 400 ? 'accepted' : 'refused'] += 1;
    if (status >= 500 && !isOfCaller(status, String(headers['x-error-code'])))
      throw new Error(`${request.method} ${request.path} answered ${status}: ${text.slice(0, 500)}`);
    if (counts.requests % BATCH === 0) await checkNeighbour();
    return { status, json: (text.startsWith('{') ? JSON.parse(text) : {}) as Answer };
  }

  function json(method: string, path: string, body: unknown, headers: Record<string, string> = {}) {
    return {
      method,
      path,
      headers: { 'x-api-key': hostile, 'content-type': 'application/json', ...headers },
      body: Buffer.from(JSON.stringify(body)),
    };
  }
}
