import { gatewayForTests } from '../../testing/test-gateway';

const gateway = gatewayForTests();

const mill = '/api/v2/mcp/servers/mill';
const config = { url: 'https://mill.test/mcp', headers: { authorization: 'Bearer key' } };

const masked = { ...config, headers: { authorization: '********' } };

test('a server is stored, listed, read, changed and deleted, and its credentials are masked', async () => {
  expect(await gateway.call('POST', mill, { ...config, name: 'mill' })).toMatchObject({
    status: 200,
    json: masked,
  });
  expect((await gateway.call('GET', '/api/v2/mcp/servers?action_count=true')).json).toEqual([
    { name: 'mill', mode: null, toolsCount: null },
  ]);
  expect((await gateway.call('GET', mill)).json).toEqual(masked);
  const args = ['mcp-proxy', '--headers', 'Key', 'secret', '--headers', 'key', 'other'];
  const program = { command: 'uvx', args };
  const shown = {
    ...masked,
    command: 'uvx',
    args: args.map((arg, index) => (index % 3 === 0 && index > 0 ? '********' : arg)),
  };
  expect(await gateway.call('PATCH', mill, program)).toMatchObject({ status: 200, json: shown });
  expect((await gateway.call('PATCH', mill, shown)).json).toEqual(shown);
  expect(await gateway.mcpServers.find(gateway.user.id, 'mill')).toEqual({ ...config, ...program });
  expect(await gateway.call('DELETE', mill)).toMatchObject({ status: 200, json: null });
  expect((await gateway.call('GET', mill)).json).toBeNull();
  expect(await gateway.call('PATCH', mill, config)).toMatchObject({ status: 404 });
});

test.each([
  [{ command: 'a name' }, 'Value error, MCP stdio command must be a single executable name or path; '],
  [{ command: 'uvx ' }, 'Value error, MCP stdio command must be a single executable name or path; '],
  [{ command: '/a b/c d' }, 'Value error, MCP stdio command must be a single executable name or path; '],
  [{ command: '/a b/mill' }, "Value error, Command 'mill' is not allowed for security reasons. "],
  [{ command: 'mill' }, '"loc":["body"]'],
  [{ name: 'other' }, "Server name is immutable and is determined by the URL path ('mill'); "],
  [{ env: { KEY: '********' } }, 'A redacted MCP credential can only preserve an existing value.'],
  [{ args: ['--headers', 'a', '********'] }, 'A redacted MCP argument can only preserve an existing '],
])('the configuration %j is refused', async (body, text) => {
  const { status, json } = await gateway.call('POST', mill, body);
  expect(status).toBe(422);
  expect(JSON.stringify(json)).toContain(text);
});

test.each(['uvx', '/usr/bin/node', 'C:\\Program Files\\nodejs\\node.EXE'])(
  'the command %s is taken',
  async (command) => {
    expect((await gateway.call('POST', '/api/v2/mcp/servers/command', { command })).status).toBe(200);
    await gateway.call('DELETE', '/api/v2/mcp/servers/command');
  },
);

test('a name cannot be used twice, and an unknown server cannot be deleted', async () => {
  const other = '/api/v2/mcp/servers/other%20one';
  await gateway.call('POST', other, config);
  expect(await gateway.call('POST', other, config)).toMatchObject({
    status: 409,
    json: { detail: 'Server already exists.' },
  });
  expect((await gateway.call('GET', '/api/v2/mcp/servers')).json).toMatchObject([{ name: 'other one' }]);
  await gateway.call('DELETE', other);
  expect(await gateway.call('DELETE', other)).toMatchObject({
    status: 404,
    json: { detail: 'Server not found.' },
  });
});

test('a body that is too long or not an object, and an invalid query, are refused', async () => {
  expect((await gateway.call('POST', `/api/v2/mcp/servers/${'m'.repeat(201)}`, config)).status).toBe(400);
  expect((await gateway.call('POST', mill, { url: 'x'.repeat(70_000) })).status).toBe(400);
  expect((await gateway.call('POST', mill, [config])).status).toBe(422);
  const path = '/api/v2/mcp/servers?action_count=';
  expect(await gateway.call('GET', path)).toMatchObject({
    status: 422,
    json: { detail: [{ type: 'bool_parsing', loc: ['query', 'action_count'] }] },
  });
});
