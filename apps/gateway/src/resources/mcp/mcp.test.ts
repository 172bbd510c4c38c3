import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { controlTopology } from '@millrace/messages';
import { until } from '@millrace/service/testing';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { makeTenant } from '../../testing/tenant';
import type { Tenant } from '../../testing/tenant';
import { gatewayForTests } from '../../testing/test-gateway';

const examples = join(__dirname, '../../../../../examples');
const echo = JSON.parse(readFileSync(join(examples, 'echo.json'), 'utf8')) as object;
const UNKNOWN = '11111111-1111-4111-8111-111111111111';

let owner: Tenant;
let other: Tenant;
const clients: Client[] = [];

const gateway = gatewayForTests();
beforeAll(async () => {
  owner = await makeTenant(gateway, 'owner');
  other = await makeTenant(gateway, 'other');
  const tool = { mcp_enabled: true, action_name: 'echo_tool', action_description: 'Echoes.' };
  await owner.call('PATCH', `/api/v1/flows/${owner.ids.flow}`, tool);
  await owner.call('POST', '/api/v1/flows/', { ...echo, name: 'Second Flow!', mcp_enabled: true });
  await owner.call('POST', '/api/v1/flows/', { ...echo, name: 'no tool' });
  await other.call('PATCH', `/api/v1/flows/${other.ids.flow}`, { mcp_enabled: true, action_name: 'theirs' });
}, 60_000);
afterEach(async () => {
  gateway.executor.handleJob = null;
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

async function connect({ key, ids }: Tenant, path = `project/${ids.project}/`): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const url = new URL(`${gateway.url}/api/v1/mcp/${path}streamable`);
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { 'x-api-key': key } },
  });
  await client.connect(transport as unknown as Parameters<typeof client.connect>[0]);
  clients.push(client);
  return client;
}

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  gateway.call('POST', `/api/v1/mcp/${path}`, body, {
    'x-api-key': owner.key,
    accept: 'application/json, text/event-stream',
    ...headers,
  });

test.each(['project', 'user'])(
  "the client of the SDK finds and calls the flows of a %s's server",
  async (of) => {
    const client = await connect(owner, of === 'user' ? '' : undefined);
    const { tools } = await client.listTools();
    expect(new Map(tools.map(({ name, description }) => [name, description]))).toEqual(
      new Map([
        ['second_flow', 'Returns its input unchanged: the smallest possible flow.'],
        ['echo_tool', 'Echoes.'],
      ]),
    );
    const call = { name: 'echo_tool', arguments: { input_value: 'hi', session_id: 'mcp' } };
    expect(await client.callTool(call)).toEqual({ content: [{ type: 'text', text: 'hi' }], isError: false });
    const messages = await owner.call('GET', '/api/v1/monitor/messages?session_id=mcp');
    expect((messages.json as { text: string }[]).length).toBeGreaterThan(0);
    expect(await client.listPrompts()).toEqual({ prompts: [] });
    expect(await client.listResources()).toEqual({ resources: [] });
  },
);

test.each(['', 'project'])(
  'the client of the SDK finds and calls flows over server-sent events: %j',
  async (of) => {
    const root = `${gateway.url}/api/v1/mcp/${of === '' ? '' : `project/${owner.ids.project}/`}`;
    const headers = { 'x-api-key': owner.key };
    expect((await fetch(`${root}sse`, { method: 'HEAD' })).status).toBe(200);
    const client = new Client({ name: 'test', version: '1' });
    const transport = new SSEClientTransport(new URL(`${root}sse`), { requestInit: { headers } });
    await client.connect(transport as unknown as Parameters<typeof client.connect>[0]);
    clients.push(client);
    const listChanged = true;
    expect(client.getServerCapabilities()).toMatchObject({
      prompts: { listChanged },
      tools: { listChanged },
    });
    const missing = await client.callTool({ name: 'none', arguments: {} });
    expect(missing).toMatchObject({ content: [{ text: "Flow with name 'none' not found" }], isError: true });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo_tool', 'second_flow']);
    const calls = ['one', 'two'].map((text) =>
      client.callTool({ name: 'echo_tool', arguments: { input_value: text } }),
    );
    expect(await Promise.all(calls)).toMatchObject([
      { content: [{ text: 'one' }], isError: false },
      { content: [{ text: 'two' }], isError: false },
    ]);
  },
);

test('a message to a session that the caller does not have is refused', async () => {
  const opened = await fetch(`${gateway.url}/api/v1/mcp/sse`, { headers: { 'x-api-key': owner.key } });
  const reader = opened.body!.getReader();
  const first = new TextDecoder().decode((await reader.read()).value);
  const [, address = ''] =
    /^event: endpoint\ndata: (\/api\/v1\/mcp\/\?session_id=[\da-f]{32})\n\n$/.exec(first) ?? [];
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const send = async (path: string, body: unknown, key = owner.key) =>
    (await gateway.call('POST', path, body, { 'x-api-key': key })).status;
  expect(await send(address, ping)).toBe(202);
  expect(await send(address, { method: 'ping' })).toBe(400);
  expect(await send(address, ping, other.key)).toBe(404);
  expect(await send(address.replace('/mcp/', `/mcp/project/${owner.ids.project}/`), ping)).toBe(404);
  expect(await send('/api/v1/mcp/', ping)).toBe(400);
  expect(await send('/api/v1/mcp/?session_id=x', ping)).toBe(400);
  await reader.cancel();
  await until(async () => (await send(address, ping)) === 404);
  for (const project of [UNKNOWN, other.ids.project]) {
    const headers = { 'x-api-key': owner.key };
    expect((await fetch(`${gateway.url}/api/v1/mcp/project/${project}/sse`, { headers })).status).toBe(404);
  }
});

test('a user has a limited number of streams at a time', async () => {
  const open = new AbortController();
  const headers = { 'x-api-key': other.key };
  const stream = () => fetch(`${gateway.url}/api/v1/mcp/sse`, { headers, signal: open.signal });
  const opened = await Promise.all(Array.from({ length: 100 }, stream));
  expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([200]));
  const refused = await stream();
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([503, 'too_many_runs']);
  open.abort();
  await until(async () => {
    const again = await fetch(`${gateway.url}/api/v1/mcp/sse`, { headers });
    await again.body?.cancel();
    return again.status === 200;
  });
});

test.each([
  [{ input_value: 5 }, "Input validation error: 5 is not of type 'string'"],
  [{ input_value: ['hi'] }, "Input validation error: ['hi'] is not of type 'string'"],
  [{ input_value: 'hi', session_id: 7 }, "Input validation error: 7 is not of type 'string'"],
  [{ query: 'hi' }, 'The tool has no argument query; the message is input_value.'],
])('a call with the arguments %j does not run the flow with an empty message', async (given, text) => {
  const client = await connect(owner);
  expect(await client.callTool({ name: 'echo_tool', arguments: given })).toEqual({
    content: [{ type: 'text', text }],
    isError: true,
  });
});

test.each([{}, { input_value: null }, { input_value: 'hi', extra: 1 }])(
  'a call with the arguments %j runs the flow',
  async (given) => {
    const client = await connect(owner);
    expect(await client.callTool({ name: 'echo_tool', arguments: given })).toMatchObject({ isError: false });
  },
);

test("two users' tools are apart", async () => {
  const client = await connect(other);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['theirs']);
  expect(await client.callTool({ name: 'echo_tool', arguments: {} })).toMatchObject({ isError: true });
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  for (const project of [other.ids.project, UNKNOWN]) {
    const answer = await post(`project/${project}/streamable`, message);
    expect([answer.status, answer.json]).toEqual([404, { detail: 'Project not found' }]);
  }
});

test('a later flow does not take the name of a tool', async () => {
  const user = await makeTenant(gateway, 'namesakes');
  for (const name of ['z', 'a']) {
    const body = { ...echo, name, mcp_enabled: true, action_name: 'same', action_description: name };
    await user.call('POST', '/api/v1/flows/', body);
  }
  const { tools } = await (await connect(user, '')).listTools();
  expect(tools.map(({ name, description }) => [name, description])).toEqual([
    ['same', 'z'],
    ['same_1', 'a'],
  ]);
});

test.each([
  ['unknown/method', { code: -32_602, message: 'Invalid request parameters', data: '' }],
  ['completion/complete', { code: -32_601, message: 'Method not found' }],
])('the method %s is refused as by Langflow', async (method, error) => {
  const answer = await post(`project/${owner.ids.project}/streamable`, { jsonrpc: '2.0', id: 4, method });
  const data = /^data: (.*)$/m.exec(answer.text)?.[1] ?? answer.text;
  expect(JSON.parse(data)).toEqual({ jsonrpc: '2.0', id: 4, error });
});

test('progress is reported for each vertex that ends', async () => {
  gateway.executor.handleJob = async ({ job, events, final }) => {
    expect(job.runId).toBeDefined();
    for (const id of ['A', 'B'])
      await events([{ event: 'end_vertex', data: { build_data: { id, valid: true, data: {} } } }]);
    await final('succeeded', { session_id: 's', outputs: [] });
  };
  const client = await connect(owner);
  const seen: unknown[] = [];
  await client.callTool({ name: 'echo_tool', arguments: {} }, undefined, {
    onprogress: ({ progress, message }) => seen.push([progress, message]),
  });
  expect(seen).toEqual([
    [1, 'A ended'],
    [2, 'B ended'],
  ]);
});

test('a call that the client cancels ends its run', async () => {
  const cancelled: string[] = [];
  let runId = '';
  gateway.executor.handleJob = async ({ job }) => {
    ({ runId } = job);
  };
  const { bus, names } = gateway;
  await bus.provision(controlTopology(names, 'observer'));
  const observer = await bus.consume(
    names.control('observer'),
    { prefetch: 10, noAck: true },
    async ({ body }) => {
      const message = JSON.parse(body.toString()) as { readonly kind: string; readonly runId: string };
      if (message.kind === 'cancel') cancelled.push(message.runId);
      return 'done';
    },
  );
  const client = await connect(owner);
  const stop = new AbortController();
  const call = client.callTool({ name: 'echo_tool', arguments: {} }, undefined, { signal: stop.signal });
  const refused = expect(call).rejects.toThrow();
  await until(() => runId !== '');
  stop.abort();
  await refused;
  await until(() => cancelled.includes(runId));
  await observer.close();
});

test('a failed run is an error of the tool', async () => {
  gateway.executor.handleJob = ({ final }) =>
    final('failed', { code: 'component_failed', message: 'It broke.', vertex: null, problems: [] });
  const client = await connect(owner);
  expect(await client.callTool({ name: 'echo_tool', arguments: {} })).toEqual({
    content: [{ type: 'text', text: 'It broke.' }],
    isError: true,
  });
});

test('a request without the media types or the shape of the protocol is refused', async () => {
  const path = `project/${owner.ids.project}/streamable`;
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const unaccepted = await post(path, ping, { accept: '*/*' });
  expect([unaccepted.status, unaccepted.json]).toEqual([
    406,
    {
      jsonrpc: '2.0',
      id: 'server-error',
      error: {
        code: -32600,
        message: 'Not Acceptable: Client must accept both application/json and text/event-stream',
      },
    },
  ]);
  expect((await post(path, { hello: 1 })).json).toMatchObject({ error: { code: -32600 } });
  expect((await post(path, ping)).text).toContain('"result":{}');
});

test('credentials, methods and bodies are refused as in Langflow', async () => {
  const paths = ['', `project/${owner.ids.project}/`].map((of) => `/api/v1/mcp/${of}`);
  const ask = async (method: string, path: string, headers: Record<string, string>) => {
    const response = await fetch(`${gateway.url}${path}`, { method, headers });
    return [response.status, await response.json()];
  };
  const missing = [403, { detail: 'An API key must be passed as query or header' }];
  for (const path of paths) {
    for (const method of ['GET', 'DELETE', 'POST'])
      expect(await ask(method, `${path}streamable`, {})).toEqual(missing);
    const bearer = { authorization: 'Bearer no-token', 'x-api-key': owner.key };
    for (const end of ['sse', 'streamable'])
      expect(await ask('GET', path + end, bearer)).toEqual([401, { detail: 'Invalid token' }]);
    const key = { 'x-api-key': owner.key };
    const ended = await fetch(`${gateway.url}${path}streamable`, { method: 'DELETE', headers: key });
    expect([ended.status, ended.headers.get('allow'), await ended.json()]).toEqual([
      405,
      'POST',
      {
        jsonrpc: '2.0',
        id: 'server-error',
        error: { code: -32600, message: 'Method Not Allowed: Session termination not supported' },
      },
    ]);
    expect((await ask('GET', `${path}streamable`, key))[0]).toBe(405);
    const send = async (end: string) => {
      const response = await fetch(`${gateway.url}${path}${end}`, {
        method: 'POST',
        headers: key,
        body: '{bad',
      });
      return [response.status, await response.json()];
    };
    const message = 'Parse error: Expecting property name enclosed in double quotes (char 1)';
    const error = { jsonrpc: '2.0', id: 'server-error', error: { code: -32700, message } };
    expect(await send('streamable')).toEqual([400, error]);
    expect(await send('')).toEqual([400, { detail: 'Could not parse message' }]);
  }
});
