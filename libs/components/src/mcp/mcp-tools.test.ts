import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { RunResources } from '@millrace/flow';
import type { PythonObject } from '@millrace/python-text';
import { callToolOf } from '../testing/tool-caller.fixture';
import type { ToolCallUnderTest } from '../testing/tool-caller.fixture';
import { toolNode } from '../testing/tool-node.fixture';
import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import type { RunOptions } from '../testing/flow-under-test.fixture';
import { sharedEffects } from '../testing/shared-effects.fixture';
import { resourcesWith } from '../testing/run-resources.fixture';
import { millKey, millProgram, startMillServer } from '../integrations/mcp/mill-server.fixture';
import type { MillServer } from '../integrations/mcp/mill-server.fixture';

let mill: MillServer;
beforeAll(async () => {
  mill = await startMillServer();
});
afterAll(() => mill.close());

const headers = { authorization: `Bearer ${millKey}` };
const program = { command: process.execPath, args: [millProgram] };

function resources(
  stored: Readonly<Record<string, PythonObject>> = {},
  allowsPrograms = false,
): RunResources {
  return resourcesWith({
    mcpServers: { find: (name) => Promise.resolve(stored[name] ?? null) },
    isAllowed: (permission) => allowsPrograms && permission === 'mcp-stdio',
  });
}

interface Call extends RunOptions {
  readonly table?: readonly unknown[];
  readonly type?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Returns the tools that an agent gets from a node in tool mode, and the result of one call. */
function called(
  server: unknown,
  tool: string,
  given: PythonObject = {},
  call: Call = {},
): Promise<ToolCallUnderTest> {
  const { table = [], type = 'MCPTools', fields = {}, ...options } = call;
  const values = server === undefined ? fields : { mcp_server: server, ...fields };
  return callToolOf(toolNode('MCP-a', type, table, values), given, {
    resources: resources(),
    tool,
    ...options,
  });
}

const remote = (path: string, further: PythonObject = {}): unknown => ({
  name: 'mill',
  config: { url: `${mill.url}${path}`, headers, ...further },
});

test('a node that names no server has no tools', async () => {
  const { tools } = await called({ name: '', config: {} }, 'none');
  expect(tools).toEqual([]);
});

describe.each(['/mcp', '/sse'])('a server at %s', (path) => {
  test('provides its tools with the schemas of their arguments', async () => {
    const { tools, result } = await called(remote(path), 'grind', { grain: 'rye', sacks: 2 });
    expect(tools.map(({ name }) => name)).toEqual([
      'grind',
      'stock',
      'break',
      'turn',
      'flood',
      'meta',
      'environment',
    ]);
    expect(tools[0]).toMatchObject({
      description: 'Grinds grain to flour.',
      parameters: { properties: { sacks: { type: 'integer' } }, required: ['grain'] },
    });
    expect(result).toBe('2 sacks of rye flour');
  });

  test('fails when its tool fails, and when a response is too large', async () => {
    expect(await failureOf(called(remote(path), 'break'))).toContain('The wheel is broken.');
    expect(await failureOf(called(remote(path), 'flood'))).toContain(
      'The MCP server "mill" did not answer a call of "flood": ',
    );
  });

  test('is named in the error for a rejected key, without the key', async () => {
    const failure = await failureOf(
      called(remote(path, { headers: { authorization: 'Bearer wrong-key' } }), 'stock'),
    );
    expect(failure).toContain('The MCP server "mill" could not be reached');
    expect(failure).not.toContain('wrong-key');
  });

  test('is disconnected when the run ends', async () => {
    await called(remote(path), 'stock');
    await mill.disconnected();
  });
});

test('a later attempt of a durable run has the tools of the first one, and does not list them again', async () => {
  const options = { effects: sharedEffects(), runId: randomUUID() };
  const first = await called(remote('/mcp'), 'none', {}, options);
  const absent = { name: 'mill', config: { url: `${mill.url}/absent`, headers } };
  const later = await called(absent, 'none', {}, options);
  const shown = ({ tools }: typeof first) =>
    tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  expect(first.tools).toHaveLength(7);
  expect(shown(later)).toEqual(shown(first));
});

test.each(['/mcp', '/sse'])(
  'a call at %s has the same key in each attempt of a durable run',
  async (path) => {
    const keyOf = async (options: Call, given: PythonObject = {}) => {
      const { result } = await called(remote(path), 'meta', given, options);
      const { idempotencyKey, header } = JSON.parse(String(result)) as Record<string, string | undefined>;
      expect(header).toBe(idempotencyKey);
      return idempotencyKey;
    };
    const attempt = () => ({ effects: sharedEffects(), runId: 'run-1' });
    const key = await keyOf(attempt());
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(await keyOf(attempt())).toBe(key);
    expect(await keyOf(attempt(), { grain: 'rye' })).not.toBe(key);
    expect(await keyOf({ ...attempt(), runId: 'run-2' })).not.toBe(key);
    expect(await keyOf({})).toBeUndefined();
  },
);

test('a server of type `sse` gets no Streamable HTTP request', async () => {
  const { result } = await called(remote('/sse', { type: 'sse' }), 'grind', { grain: 'oat' });
  expect(result).toBe('1 sack of oat flour');
});

test('a program starts with a minimal environment and exits with the run', async () => {
  process.env['MILLRACE_SECRET_UNDER_TEST'] = 'hidden';
  const server = { name: 'local', config: { ...program, env: { GIVEN: 'yes' } } };
  const { result } = await called(server, 'environment', {}, { resources: resources({}, true) });
  delete process.env['MILLRACE_SECRET_UNDER_TEST'];
  const environment = JSON.parse(String(result)) as Record<string, string>;
  expect(environment).toMatchObject({ GIVEN: 'yes' });
  expect(Object.keys(environment)).not.toContain('MILLRACE_SECRET_UNDER_TEST');
  while (isRunning(Number(environment['PROCESS']))) await pause(10);
});

function isRunning(id: number): boolean {
  try {
    // A child of this process, which Node does not leave as a zombie.
    // eslint-disable-next-line no-restricted-syntax
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

test('no program starts unless the operator allows it', async () => {
  const failure = await failureOf(called({ name: 'local', config: program }, 'stock'));
  expect(failure).toContain(
    'The MCP server "local" is a local program, which flows cannot start on this installation.',
  );
});

test("the user's stored server of that name takes precedence over the one in the node", async () => {
  const stored = { mill: { url: `${mill.url}/mcp`, headers } };
  const server = { name: 'mill', config: { url: 'http://127.0.0.1:1/' } };
  const { result } = await called(server, 'grind', { grain: 'wheat' }, { resources: resources(stored) });
  expect(result).toBe('1 sack of wheat flour');
  expect(await failureOf(called({ name: 'other', config: {} }, 'stock'))).toContain(
    'There is no MCP server "other": the flow does not contain its address, and the user has stored no server of that name.',
  );
});

test('a header can name a variable', async () => {
  const server = { name: 'mill', config: { url: `${mill.url}/mcp`, headers: { authorization: 'MILL_KEY' } } };
  const { result } = await called(
    server,
    'grind',
    { grain: 'rye' },
    { variables: { MILL_KEY: `Bearer ${millKey}` } },
  );
  expect(result).toBe('1 sack of rye flour');
});

test('the table of the node renames, describes and disables tools', async () => {
  const table = [
    { name: 'mill_grain', description: 'Mills.', tags: ['grind'], status: true },
    { name: 'stock', description: '', tags: ['stock'], status: false },
  ];
  const { tools, result } = await called(remote('/mcp'), 'mill_grain', { grain: 'rye' }, { table });
  expect(tools.map(({ name, description }) => [name, description])).toEqual([['mill_grain', 'Mills.']]);
  expect(result).toBe('1 sack of rye flour');
});

test('nodes of earlier versions describe the server in separate fields', async () => {
  const events = { mode: 'SSE', sse_url: `${mill.url}/sse`, headers_input: headers };
  expect(
    (await called(undefined, 'grind', { grain: 'rye' }, { type: 'MCPSse', fields: events })).result,
  ).toBe('1 sack of rye flour');
  const pipes = { mode: 'Stdio', command: `"${process.execPath}" '${millProgram}'` };
  const allowed = { type: 'MCPStdio', fields: pipes, resources: resources({}, true) };
  expect((await called(undefined, 'grind', { grain: 'oat' }, allowed)).result).toBe('1 sack of oat flour');
});

test('two nodes of a run share a connection; two runs do not', async () => {
  const provider = (id: string): unknown => toolNode(id, 'MCP', [], { mcp_server: remote('/mcp') });
  const beside = {
    nodes: [provider('MCP-b')],
    edges: [edge('MCP-b', 'component_as_tool', 'ToolCaller-z', 'tools')],
  };
  const before = mill.sessions();
  for (const runs of [1, 2]) {
    await callToolOf(provider('MCP-a'), {}, { resources: resources(), tool: 'stock', beside });
    expect(mill.sessions() - before).toBe(runs);
  }
});

/** Returns the rows of a node that calls one tool itself. */
async function rows(values: Readonly<Record<string, unknown>>, options: RunOptions = {}): Promise<unknown> {
  const document = flow([node('MCP-a', 'MCPTools', { mcp_server: remote('/mcp'), ...values })]);
  const { result } = await runFlow(document, { resources: resources(), show: 'MCP-a', ...options });
  return result?.outputs['response']?.message;
}

test('calls one tool with the fields of the node', async () => {
  expect(await rows({ tool: 'grind', grain: 'rye', sacks: '3', fine: 'true' })).toEqual([
    { type: 'text', text: '3 sacks of fine rye flour', annotations: null, meta: null },
  ]);
  expect(await rows({ tool: 'stock', grain: 'not of this tool' })).toMatchObject([
    { rye: 3, wheat: 5 },
    { type: 'text', text: '[1, 2]', parsed_value: [1, 2] },
    { type: 'image', data: 'AAAA', mimeType: 'image/png', annotations: null, meta: null },
  ]);
});

test('reports what is wrong with a call', async () => {
  expect(await rows({ tool: '' })).toEqual([{ error: 'You must select a tool' }]);
  expect(await failureOf(rows({ tool: 'sing' }))).toContain(
    'Error in build_output: the server has no tool "sing".',
  );
  expect(await failureOf(rows({ tool: 'break' }))).toContain('Error in build_output: The wheel is broken.');
  expect(await failureOf(rows({ tool: 'grind', grain: 'rye', sacks: 'many' }))).toContain(
    'The MCP server "mill" did not answer a call of "grind": MCP error -32603: wrong arguments',
  );
});

test('a call that is never answered ends after its timeout, or with the run', async () => {
  expect(await failureOf(rows({ tool: 'turn', tool_execution_timeout: '0.2' }))).toContain(
    'The MCP server "mill" did not answer a call of "turn": ',
  );
  expect(await failureOf(rows({ tool: 'turn' }, { timeoutMilliseconds: 500 }))).toContain(
    'The run did not end before its deadline.',
  );
});
