import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServiceProcess } from '@millrace/scaled-system';
import type { ServiceProcess } from '@millrace/scaled-system';

/** Secrets that must not appear anywhere; each one enters by another way. */
const canaries = {
  keyInHeader: 'sk-canary-key-in-the-header-0123456789',
  keyInQuery: 'sk-canary-key-in-the-query-0123456789',
  keyAsBearer: 'sk-canary-key-as-bearer-token-0123456789',
  bearer: 'canary-bearer-0123456789abcdef',
  cookie: 'canary-cookie-0123456789abcdef',
  credential: 'sk-canary-credential-0123456789abcdef',
  environment: 'sk-canary-environment-0123456789abcdef',
  headerVariable: 'sk-canary-header-variable-0123456789',
};
const directory = mkdtempSync(join(tmpdir(), 'millrace-secrets-'));
const lines: string[] = [];
const answers: string[] = [];
let service: ServiceProcess;
let url: string;
let key: string;

/** A vendor that refuses every call and repeats the key in its error, as some vendors do. */
const receivedKeys: string[] = [];
const vendor = createServer((request, response) => {
  const given = request.headers.authorization ?? 'nothing';
  receivedKeys.push(given);
  const message = `Incorrect API key provided: ${given.replace('Bearer ', '')}`;
  response.writeHead(401, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({ error: { message, type: 'invalid_request_error', code: 'invalid_api_key' } }),
  );
});

beforeAll(async () => {
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}/v1`;
  service = await startServiceProcess({
    app: 'standalone',
    flags: ['--port', '0', '--data', directory],
    environment: {
      ...{ DATABASE_URL: '', AMQP_URL: '', REDIS_URL: '', LOG_LEVEL: 'debug' },
      ...{ OPENAI_API_KEY: canaries.environment, OPENAI_BASE_URL: base },
      MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32',
    },
    print: (line) => lines.push(line),
  });
  url = `http://127.0.0.1:${String(service.ready['port'])}`;
  key = /sk-[\w-]{43}/.exec(lines.join('\n'))?.[0] ?? '';
}, 120_000);

afterAll(async () => {
  await service?.stop();
  vendor.close();
  rmSync(directory, { recursive: true, force: true });
}, 60_000);

async function call(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<number> {
  const response = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  answers.push(`${method} ${path.split('?')[0] ?? ''} ${await response.text()}`);
  return response.status;
}

test('CWE-532: keys, cookies and credentials appear in no log, response or file', async () => {
  const own = { 'x-api-key': key };
  const wrong = {
    'x-api-key': canaries.keyInHeader,
    authorization: `Bearer ${canaries.bearer}`,
    cookie: `c=${canaries.cookie}`,
  };
  expect(await call('POST', '/api/v1/run/echo', wrong, {})).toBe(403);
  expect(await call('GET', '/api/v1/flows/', wrong)).toBe(401);
  const asBearer = { authorization: `Bearer ${canaries.keyAsBearer}` };
  expect(await call('POST', '/api/v1/responses', asBearer, {})).toBe(403);
  expect(await call('GET', '/api/v1/flows/', { cookie: `c=${canaries.cookie}` })).toBe(403);
  expect(await call('POST', `/api/v1/run/echo?x-api-key=${canaries.keyInQuery}`, {}, {})).toBe(403);
  expect(
    await call('POST', `/api/v1/webhook/order-webhook?x-api-key=${canaries.keyInQuery}`, wrong, { a: 1 }),
  ).toBe(403);
  expect(
    await call('POST', '/api/v1/webhook/order-webhook', { ...own, ...{ cookie: wrong.cookie } }, { a: 1 }),
  ).toBe(202);
  // The key of the flow comes from the environment, from a header, and from the user's variables.
  const failing = async (headers: Record<string, string>) => {
    const body = { input_value: 'hello' };
    expect(await call('POST', '/api/v1/run/chat', { ...own, ...headers }, body)).toBe(500);
    expect(await call('POST', '/api/v1/run/chat?stream=true', { ...own, ...headers }, body)).toBeLessThan(
      501,
    );
  };
  await failing({});
  const forged = { name: 'a\r\n{"level":"fatal","msg":"forged"}', data: { nodes: [], edges: [] } };
  expect(await call('POST', '/api/v1/flows/', own, forged)).toBe(201);
  await failing({ 'x-langflow-global-var-openai_api_key': canaries.headerVariable });
  const variable = { name: 'OPENAI_API_KEY', value: canaries.credential, type: 'Credential' };
  expect(await call('POST', '/api/v1/variables/', own, variable)).toBe(201);
  await failing({});
  expect(new Set(receivedKeys.map((text) => text.replace('Bearer ', '')))).toEqual(
    new Set([canaries.environment, canaries.headerVariable, canaries.credential]),
  );
  for (const path of ['variables/', 'flows/', 'runs', 'api_key/', 'monitor/messages', 'config'])
    await call('GET', `/api/v1/${path}`, own);
  for (const path of ['/metrics', '/readyz', '/openapi.json']) await call('GET', path, own);
  await service.stop();

  const files = filesIn(directory);
  expect(lines.join('\n')).toContain('standalone: stopped');
  expect(files.length).toBeGreaterThan(5);
  for (const [door, canary] of Object.entries(canaries)) {
    expect([door, 'log', lines.filter((line) => line.includes(canary))]).toEqual([door, 'log', []]);
    expect([door, 'answer', answers.filter((answer) => answer.includes(canary))]).toEqual([
      door,
      'answer',
      [],
    ]);
    const leakingFiles = files.filter((file) => readFileSync(file).includes(canary));
    expect([door, 'file', leakingFiles]).toEqual([door, 'file', []]);
  }
}, 120_000);

test('CWE-117: each log line is one JSON object, whatever callers sent', () => {
  const objects = lines
    .map((line) => line.replace(/^standalone +/, ''))
    .filter((line) => line.startsWith('{'));
  expect(objects.length).toBeGreaterThan(10);
  for (const line of objects) expect(() => JSON.parse(line) as unknown).not.toThrow();
  expect(lines.filter((line) => line.includes('forged') && !line.includes('{'))).toEqual([]);
});

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
