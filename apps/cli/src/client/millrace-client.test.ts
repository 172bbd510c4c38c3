import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { MillraceClient } from './millrace-client';
import { MillraceError } from './millrace-error';

let server: Server;
let answer: { status: number; headers?: Record<string, string>; body: string };
let received: { request: IncomingMessage; body: string } | undefined;
let client: MillraceClient;

beforeAll(async () => {
  server = createServer((request, response) => {
    void text(request).then((body) => {
      received = { request, body };
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  client = new MillraceClient({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    key: 'sk-secret',
  });
});
afterAll(() => server.close());

const caught = (promise: Promise<unknown>) => promise.then(fail, (error: unknown) => error as MillraceError);
function fail(): never {
  throw new Error('the call resolved');
}

test('a call fills its path, leaves undefined parameters out and sends its body as JSON', async () => {
  answer = { status: 200, body: '{"outputs": []}' };
  const given = await client.call('POST /api/v1/run/{flow}', {
    path: { flow: 'a/b ?' },
    query: { stream: undefined },
    body: { input_value: 'Hello' },
  });
  expect(given).toEqual({ outputs: [] });
  expect(received?.request).toMatchObject({ method: 'POST', url: '/api/v1/run/a%2Fb%20%3F' });
  expect(received?.request.headers).toMatchObject({
    'x-api-key': 'sk-secret',
    'content-type': 'application/json',
  });
  expect(received?.body).toBe('{"input_value":"Hello"}');
  await client.call('GET /api/v1/runs', { query: { limit: 2, status: 'dead' } });
  expect(received?.request.url).toBe('/api/v1/runs?limit=2&status=dead');
});

test('a form is sent as it is, and an answer without a body is null', async () => {
  answer = { status: 204, body: '' };
  const form = new FormData();
  form.set('file', new Blob(['text']), 'a.txt');
  expect(await client.json('/api/v2/files', { method: 'POST', body: form })).toBeNull();
  expect(received?.request.headers['content-type']).toMatch(/^multipart\/form-data; boundary/);
});

test('an error has the reason, the status and the code, and never the key', async () => {
  answer = { status: 404, headers: { 'x-error-code': 'flow_unknown' }, body: '{"detail": "No such flow"}' };
  const error = await caught(client.call('GET /api/v1/flows/{flow_id}', { path: { flow_id: 'x' } }));
  expect(error).toBeInstanceOf(MillraceError);
  expect(error).toMatchObject({ reason: 'refused', status: 404, code: 'flow_unknown' });
  expect(error.message).toMatch(/\/api\/v1\/flows\/x answered 404: No such flow$/);
  const detail = { error: 'Not resumable', message: 'Stale.', reason: 'answered', decided_at: '2026-01-02' };
  answer = { status: 409, body: JSON.stringify({ detail }) };
  expect((await caught(client.call('GET /api/v1/runs'))).message).toMatch(
    /Not resumable: Stale\. \(answered at 2026-01-02\)$/,
  );
  answer = { status: 503, body: 'away' };
  expect(await caught(client.call('GET /api/v1/runs'))).toMatchObject({ reason: 'unavailable', status: 503 });
  for (const [value, retryAfterSeconds] of [
    ['7', 7],
    ['Sun, 29 Nov 2026 06:00:00 GMT', null],
  ] as const) {
    answer = { status: 429, headers: { 'retry-after': value }, body: '{"detail": "Too many runs"}' };
    expect(await caught(client.call('GET /api/v1/runs'))).toMatchObject({
      reason: 'unavailable',
      retryAfterSeconds,
    });
  }
  answer = { status: 200, body: '<html>' };
  expect(await caught(client.call('GET /api/v1/runs'))).toMatchObject({ reason: 'unavailable' });
  answer = { status: 302, headers: { location: 'http://elsewhere.invalid/' }, body: '' };
  expect(await caught(client.call('GET /api/v1/runs'))).toMatchObject({ reason: 'refused', status: 302 });
});

test('a server that is away, a deadline and an interruption end a request', async () => {
  const away = new MillraceClient({ url: 'http://127.0.0.1:1', key: 'sk-secret' });
  const refused = await caught(away.call('GET /api/v1/runs'));
  expect(refused).toMatchObject({ reason: 'unavailable', status: null, code: null });
  expect(refused.message).not.toContain('sk-secret');
  const late = await caught(away.json('/', { deadlineMilliseconds: 0 }));
  expect(late.reason).toBe('unavailable');
  const stopped = new MillraceClient({ url: client.url, key: 'k', signal: AbortSignal.abort() });
  expect(await caught(stopped.call('GET /api/v1/runs'))).toMatchObject({ reason: 'interrupted' });
});

test.each([
  'nonsense',
  'localhost:7860',
  'ftp://127.0.0.1',
  'http://ann:secret@127.0.0.1',
  'http://127.0.0.1?a=1',
  'http://127.0.0.1#a',
])('%s is refused as an address', (url) => {
  expect(() => new MillraceClient({ url, key: 'k' })).toThrow(/^The URL of a server is such as/);
});

test('a key that no header can have is refused without being named; the line break at the end of a file is left out', async () => {
  for (const key of ['sk-se\ncret', 'sk-secret€'])
    expect(() => new MillraceClient({ url: client.url, key })).toThrow(
      'The API key has a character that no header can have.',
    );
  answer = { status: 200, body: '{}' };
  await new MillraceClient({ url: `${client.url}/below/`, key: 'sk-secret\n' }).json('/a');
  expect(received?.request.url).toBe('/below/a');
  expect(received?.request.headers['x-api-key']).toBe('sk-secret');
});

test.each(['', '.', '..'])(
  'the parameter "%s" of a path, which would lead to another call, is refused',
  async (flow_id) => {
    answer = { status: 200, body: '{}' };
    received = undefined;
    const error = await caught(client.call('DELETE /api/v1/flows/{flow_id}', { path: { flow_id } }));
    expect(error.message).toBe(`DELETE /api/v1/flows/{flow_id}: "${flow_id}" is no value of flow_id`);
    expect(received).toBeUndefined();
  },
);

test('a body that is no JSON is not blamed on the server', async () => {
  const body: { self?: unknown } = {};
  body.self = body;
  expect(await caught(client.json('/', { method: 'POST', body }))).toBeInstanceOf(TypeError);
});
