import { noResources } from '@millrace/engine';
import type { RunEvent, RunFile } from '@millrace/flow';
import { toolNode } from '../testing/tool-node.fixture';
import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import type { RunOptions } from '../testing/flow-under-test.fixture';
import { fetchFrom, serviceForEachTest } from '../integrations/http/fake-service.fixture';
import { callToolOf } from '../testing/tool-caller.fixture';
import { startEchoServer } from '../integrations/http/echo-server.fixture';

const server = serviceForEachTest(startEchoServer);

type Values = Readonly<Record<string, unknown>>;
type Answer = Readonly<Record<string, unknown>> & { readonly result: Values & { readonly headers: Values } };

const outside = (): RunOptions => ({ fetch: fetchFrom({ 'api.test': server }) });

async function send(values: Values, options: RunOptions = {}): Promise<Answer> {
  const document = flow([node('API-a', 'APIRequest', values)]);
  const { text } = await runFlow(document, { ...outside(), show: 'API-a', ...options });
  return text as Answer;
}

test('returns status, headers and the JSON of a response', async () => {
  expect(await send({ url_input: ' api.test/a?b=c ' })).toEqual({
    source: 'https://api.test/a?b=c',
    status_code: 200,
    response_headers: expect.objectContaining({ 'content-type': 'application/json' }),
    result: expect.objectContaining({ method: 'GET', path: '/a', query: 'b=c', text: '' }),
  });
  expect(server.asked[0]?.headers).toMatchObject({ 'user-agent': 'Langflow/1.0' });
  expect(server.asked[0]?.headers['idempotency-key']).toBeUndefined();
});

test('every status is a result, and so are text and bytes', async () => {
  expect(await send({ url_input: 'api.test/missing' })).toMatchObject({
    status_code: 404,
    result: { error: 'no such thing' },
  });
  expect(await send({ url_input: 'api.test/text' })).toMatchObject({ result: 'just text' });
  expect(await send({ url_input: 'api.test/bytes' })).toMatchObject({ result: 'AP8=' });
});

test.each([
  [
    [
      { key: 'a', value: '1' },
      { key: 'b', value: '{"c":[true]}' },
      { key: 'd', value: 'e' },
    ],
    { a: 1, b: { c: [true] }, d: 'e' },
  ],
  [[], {}],
  [[{ key: 'a' }], { a: undefined, key: 'a' }],
])('rows %j are sent as an object', async (body, sent) => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    expect((await send({ url_input: 'api.test', method, body })).result).toMatchObject({
      method,
      json: JSON.parse(JSON.stringify(sent)) as unknown,
    });
  expect(server.asked[0]?.headers['content-type']).toBe('application/json');
});

test('sends the payload of a webhook whole; leaves it out of the headers', async () => {
  const document = (input: string) =>
    flow(
      [node('Webhook-w', 'Webhook'), node('API-a', 'APIRequest', { url_input: 'api.test', method: 'POST' })],
      [edge('Webhook-w', 'output_data', 'API-a', input)],
    );
  const webhook = '{"x-a": "b", "list": ["1"]}';
  await runFlow(document('body'), { ...outside(), webhook });
  await runFlow(document('headers'), { ...outside(), webhook });
  await runFlow(document('query_params'), { ...outside(), webhook });
  expect(server.asked.map(({ json }) => json)).toEqual([{ 'x-a': 'b', list: ['1'] }, {}, {}]);
  expect(server.asked[1]?.headers['x-a']).toBeUndefined();
  expect(server.asked[2]?.query.get('x-a')).toBe('b');
});

test('a list as query parameters fails as in Langflow', async () => {
  const document = flow(
    [
      node('Create-c', 'CreateList', { texts: ['a'] }),
      node('API-a', 'APIRequest', { url_input: 'api.test' }),
    ],
    [edge('Create-c', 'list', 'API-a', 'query_params')],
  );
  const text = "'list' object has no attribute 'data'";
  const failures: unknown[] = [];
  const onEvent = ({ event, data }: RunEvent) => event === 'error' && failures.push(data);
  expect(await failureOf(runFlow(document, { ...outside(), stream: true, onEvent }))).toContain(text);
  const reason = `**AttributeError**\n - **Details: ${text}**\n`;
  expect(failures).toMatchObject([{ content_blocks: [{ contents: [{ reason }] }] }]);
});

test('every unsafe call has a distinct idempotency key, which is the same in every attempt', async () => {
  const { result } = await send({ url_input: 'api.test', method: 'POST' });
  expect(result.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}:API-a$/);
  const headers = [{ key: 'idempotency-key', value: 'own' }];
  expect((await send({ url_input: 'api.test', method: 'POST', headers })).result.headers).toMatchObject({
    'idempotency-key': 'own',
  });
});

test('returns the address as written', async () => {
  expect((await send({ url_input: 'https://api.test?b=\u00e9' })).source).toBe('https://api.test?b=\u00e9');
});

test('returns headers in the order in which the fetch of the run names them', async () => {
  const { fetch } = outside();
  const ordered: typeof globalThis.fetch = async (...call) =>
    Object.assign(await (fetch as typeof globalThis.fetch)(...call), {
      headerNames: ['date', 'content-type'],
    });
  const { response_headers: headers } = await send({ url_input: 'api.test/a' }, { fetch: ordered });
  expect(Object.keys(headers as Values)).toEqual(['date', 'content-type']);
});

test('reports redirects, and follows them on request', async () => {
  expect(await send({ url_input: 'api.test/hop2' })).toMatchObject({
    status_code: 302,
    response_headers: { location: '/hop' },
  });
  const followed = { url_input: 'api.test/hop2', follow_redirects: true, method: 'POST' };
  expect(await send(followed)).toMatchObject({
    source: 'https://api.test/hop2',
    status_code: 200,
    result: { method: 'GET', path: '/end', text: '' },
    redirection_history: [
      { url: '/hop', status_code: 302 },
      { url: '/end', status_code: 302 },
    ],
  });
});

test('logs that redirects are followed, and a body that is no JSON', async () => {
  const document = flow([
    node('API-a', 'APIRequest', { url_input: 'api.test/text', follow_redirects: true }),
  ]);
  const { result } = await runFlow(document, { ...outside(), show: 'API-a' });
  expect(result?.logs['data']).toMatchObject([
    { name: 'Log 1', message: expect.stringMatching(/^Security Warning: HTTP redirects are enabled\./) },
    { name: 'Log 2', message: 'Failed to decode JSON response' },
  ]);
});

test('an unreachable server is a result, without secrets', async () => {
  const headers = [
    { key: 'Authorization', value: 'Bearer secret' },
    { key: 'x-a', value: 'b' },
  ];
  expect(await send({ url_input: 'unreachable.test/a', headers, method: 'POST' })).toEqual({
    source: 'https://unreachable.test/a',
    headers: { Authorization: '***', 'x-a': 'b', 'Content-Type': 'application/json' },
    status_code: 500,
    error: 'API Request (unreachable.test) could not be reached: ENOTFOUND',
  });
});

test('returns the request headers on request', async () => {
  const answer = await send({ url_input: 'api.test', include_httpx_metadata: true });
  expect(answer['headers']).toEqual({ 'User-Agent': 'Langflow/1.0' });
});

test('stores a response as a file of the user', async () => {
  const saved = new Map<string, string>();
  const files = {
    save: (name: string, content: Buffer): Promise<RunFile> => {
      saved.set(name, content.toString());
      return Promise.resolve({ path: `user/${name}`, name, sizeBytes: content.length });
    },
  };
  const resources = Object.create(noResources, { files: { value: files } }) as typeof noResources;
  const answer = await send({ url_input: 'api.test/text', save_to_file: true }, { resources });
  expect(answer).toMatchObject({
    file_path: expect.stringMatching(/^user\/[\da-f]{16}-text\.txt$/),
  });
  expect(answer.result).toBeUndefined();
  await send({ url_input: 'api.test/text', save_to_file: true }, { resources });
  expect([...saved.values()]).toEqual(['just text', 'just text']);
});

test('sends a curl command as curl does', async () => {
  const curl_input = `curl -X PUT 'api.test/c?d=e' -H 'x-a: b' --data-raw 'f=g h'`;
  const { result } = await send({ mode: 'cURL', curl_input });
  expect(result).toMatchObject({
    method: 'PUT',
    path: '/c',
    query: 'd=e',
    text: 'f=g h',
    headers: { 'x-a': 'b' },
  });
});

test('supports nodes of 1.1 to 1.3, with several addresses, and headers and a body as objects', async () => {
  const made = node('API-a', 'APIRequest', { method: 'POST' }) as {
    readonly data: { readonly node: { readonly template: Record<string, unknown> } };
  };
  Object.assign(made.data.node.template, {
    urls: { type: 'str', list: true, show: true, value: ['api.test/1', 'https://api.test/2'] },
    headers: { type: 'NestedDict', show: true, value: { 'x-a': 'b' } },
    body: { type: 'NestedDict', show: true, value: { c: 'd' } },
  });
  const { text } = await runFlow(flow([made]), { ...outside(), show: 'API-a' });
  expect((text as readonly { readonly data: Answer }[]).map(({ data }) => data.result)).toMatchObject([
    { path: '/1', json: { c: 'd' }, headers: { 'x-a': 'b' } },
    { path: '/2', json: { c: 'd' }, headers: { 'x-a': 'b' } },
  ]);
});

test('a model chooses the address, and each of its calls has a distinct key', async () => {
  const request = toolNode('API-a', 'APIRequest', [], { method: 'POST' });
  const { tools, result } = await callToolOf(request, { url_input: 'api.test/tool' }, outside());
  expect(tools.map(({ name }) => name)).toEqual(['make_api_request']);
  expect(result).toContain('"path": "/tool"');
  expect(server.asked[0]?.headers['idempotency-key']).toMatch(/:API-a:[\da-f]{16}$/);
});

test.each([
  [{ url_input: ' ' }, 'URL cannot be empty'],
  [{ url_input: 'http://' }, 'Invalid URL provided: http://'],
  [{ url_input: 'two words' }, 'Invalid URL provided: https://two words'],
  [{ url_input: 'localhost:8080/a' }, 'Invalid URL provided: https://localhost:8080/a'],
  [{ url_input: 'http://api/a' }, 'Invalid URL provided: http://api/a'],
  [{ url_input: 'http://api.test:0/' }, 'Invalid URL provided: http://api.test:0/'],
  [{ url_input: 'http://api.t1/' }, 'Invalid URL provided: http://api.t1/'],
  [{ url_input: 'http://127.1/' }, 'Invalid URL provided: http://127.1/'],
  [{ url_input: 'http://api.test/{id}' }, 'Invalid URL provided: http://api.test/{id}'],
  [{ url_input: 'http://api.test/?flag' }, 'Invalid URL provided: http://api.test/?flag'],
  [{ url_input: 'HTTP://api.test/' }, 'Invalid URL provided: https://HTTP://api.test/'],
  [{ url_input: 'api.test', method: 'TRACE' }, 'Unsupported method: TRACE'],
  [{ mode: 'cURL', curl_input: 'wget x' }, 'Error parsing curl: '],
])('%j fails', async (values, reason) => {
  expect(await failureOf(send(values))).toContain(reason);
});

test('rejects an address that is not allowed', async () => {
  const refusal = Object.assign(new Error('127.0.0.1 is not a public address'), { code: 'outgoing_refused' });
  const run = send({ url_input: 'http://127.0.0.1/' }, { fetch: () => Promise.reject(refusal) });
  expect(await failureOf(run)).toContain('SSRF Protection: 127.0.0.1 is not a public address');
});
