import { toolNode } from '../testing/tool-node.fixture';
import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import type { RunUnderTest } from '../testing/flow-under-test.fixture';
import { provideFlows } from './sub-flows.fixture';
import { callToolOf } from '../testing/tool-caller.fixture';
import type { ToolCallUnderTest } from '../testing/tool-caller.fixture';

const polite = flow(
  [
    node('TextInput-name', 'TextInput', { input_value: 'guest' }),
    node('TextInput-greeting', 'TextInput', { input_value: 'Hello' }),
    node('Prompt-p', 'Prompt', { template: '{greeting}, {name}!', greeting: '', name: '' }),
    node('ChatOutput-out', 'ChatOutput'),
  ],
  [
    edge('TextInput-name', 'text', 'Prompt-p', 'name'),
    edge('TextInput-greeting', 'text', 'Prompt-p', 'greeting'),
    edge('Prompt-p', 'prompt', 'ChatOutput-out', 'input_value'),
  ],
);
const broken = flow([node('Prompt-p', 'Prompt', { template: '{a.b}' })]);
const unknown = flow([node('ChatOutput-o', 'ChatOutput'), node('Unknown-n', 'UnknownType')]);
const provided = provideFlows({ polite, broken, unknown, empty: flow([node('TextInput-i', 'TextInput')]) });

function outer(values: Record<string, unknown>, output = 'flow_outputs_message'): unknown {
  return flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('RunFlow-r', 'RunFlow', { 'TextInput-name~input_value': '', ...values }),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('ChatInput-a', 'message', 'RunFlow-r', 'TextInput-name~input_value'),
      edge('RunFlow-r', output, 'ChatOutput-z', 'input_value'),
    ],
  );
}

const run = (values: Record<string, unknown>, output?: string): Promise<RunUnderTest> =>
  runFlow(outer(values, output), { input: 'Ann', resources: provided.resources, sessionId: 'session-7' });

test('each round of a loop names its call of the flow, as every attempt does that begins with this round', async () => {
  const calls: (string | undefined)[] = [];
  const { flows } = provided.resources;
  const recorded: typeof flows.run = (called, request, signal) => {
    calls.push(request.call);
    return flows.run(called, request, signal);
  };
  const resources = Object.create(provided.resources, {
    flows: { value: { ...flows, run: recorded } },
  }) as typeof provided.resources;
  const looped = flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('SplitText-s', 'SplitText', { separator: ',', chunk_size: 1, chunk_overlap: 0 }),
      node('LoopComponent-l', 'LoopComponent'),
      node('ParserComponent-b', 'ParserComponent', { pattern: '{text}' }),
      node('RunFlow-r', 'RunFlow', { 'TextInput-name~input_value': '', flow_name_selected: 'polite' }),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('ChatInput-a', 'message', 'SplitText-s', 'data_inputs'),
      edge('SplitText-s', 'dataframe', 'LoopComponent-l', 'data'),
      edge('LoopComponent-l', 'item', 'ParserComponent-b', 'input_data'),
      edge('ParserComponent-b', 'parsed_text', 'RunFlow-r', 'TextInput-name~input_value'),
      edge('RunFlow-r', 'flow_outputs_message', 'LoopComponent-l', 'item'),
      edge('LoopComponent-l', 'done', 'ChatOutput-z', 'input_value'),
    ],
  );
  await runFlow(looped, { input: 'a,b', resources });
  expect(calls).toEqual(['LoopComponent-l[1]/RunFlow-r', 'LoopComponent-l[2]/RunFlow-r']);
});

test.each([
  [{ flow_name_selected: 'polite' }, 'Hello, Ann!'],
  [{ flow_name_selected: 'old name', flow_id_selected: 'polite-id' }, 'Hello, Ann!'],
  [{ flow_name_selected: 'polite', 'TextInput-greeting~input_value': 'Salve' }, 'Salve, Ann!'],
])('runs the flow of %j with its fields', async (values, text) => {
  expect((await run(values)).text).toBe(text);
});

test.each([
  { 'RunFlow-r': { 'TextInput-greeting~input_value': 'Salve' } },
  { 'RunFlow-r': { 'TextInput-greeting': { input_value: 'Salve', unknown: 'x' } } },
  {
    'Run Flow': {
      'TextInput-greeting': { input_value: { value: 'Salve' } },
      'Unknown-u': { input_value: 'x' },
    },
  },
])('the tweaks %j reach the flow that it runs', async (tweaks) => {
  const document = outer({ flow_name_selected: 'polite', 'TextInput-greeting~input_value': 'Hi' });
  const options = { input: 'Ann', resources: provided.resources, sessionId: 'session-7', tweaks };
  expect((await runFlow(document, options)).text).toBe('Salve, Ann!');
});

test.each(['flow_outputs_message', 'ChatOutput-out~message'])(
  "returns the flow's answer at %s",
  async (output) => {
    expect((await run({ flow_name_selected: 'polite' }, output)).text).toBe('Hello, Ann!');
  },
);

test('returns the answer as data and as a table, with all fields of the message', async () => {
  const shown = async (output: string): Promise<string> =>
    String((await run({ flow_name_selected: 'polite' }, output)).text);
  expect(await shown('flow_outputs_data')).toContain('"text": "Hello, Ann!"');
  expect(await shown('flow_outputs_data')).toContain('"sender": "Machine"');
  expect(await shown('flow_outputs_dataframe')).toMatch(/\| Hello, Ann! +\|/);
});

test('stores the messages of the flow in the session of the run, with the id of that flow', async () => {
  const before = provided.stored.length;
  const { stored } = await run({ flow_name_selected: 'polite' });
  const said = provided.stored
    .slice(before)
    .map(({ fields }) => [fields.flowId, fields.sessionId, fields.text]);
  expect(said).toEqual([['polite-id', 'session-7', 'Hello, Ann!']]);
  expect(stored.map(({ text }) => text)).toEqual(['Ann', 'Hello, Ann!']);
});

test.each([
  [{ flow_name_selected: '' }, 'Flow name or id is required'],
  [{ flow_name_selected: 'nowhere' }, 'Flow not found'],
  [{ flow_name_selected: 'broken' }, 'Error running flow: broken'],
  [{ flow_name_selected: 'empty' }, 'The flow "empty" gave no output.'],
])('%j fails as "%s"', async (values, reason) => {
  expect(await failureOf(run(values))).toContain(`Error building Component Run Flow: \n\n${reason}`);
});

test('a flow that is refused refuses the run of the flow that runs it', async () => {
  await expect(run({ flow_name_selected: 'unknown' })).rejects.toMatchObject({
    code: 'flow_refused',
    message: expect.stringContaining('In the flow "unknown": This flow cannot run: "UnknownType"'),
    problems: [{ vertexId: 'Unknown-n', message: expect.stringContaining('In the flow "unknown": ') }],
  });
});

const callAsTool = (
  callArguments: Record<string, unknown>,
  table: readonly unknown[] = [],
): Promise<ToolCallUnderTest> =>
  callToolOf(toolNode('RunFlow-r', 'RunFlow', table, { flow_name_selected: 'polite' }), callArguments, {
    resources: provided.resources,
  });

test('is a tool whose arguments are the inputs of the flow', async () => {
  const callArguments = { 'TextInput-name_input_value': 'Bo', 'TextInput-greeting_input_value': 'Hi' };
  const { tools, result } = await callAsTool(callArguments);
  expect(result).toBe('Hi, Bo!');
  expect(tools[0]).toMatchObject({
    name: 'polite_tool',
    description: "Tool designed to execute the flow 'polite'. Flow details: What polite does.",
    parameters: {
      properties: { 'TextInput-name_input_value': { type: 'string' } },
      required: ['TextInput-name_input_value', 'TextInput-greeting_input_value'],
    },
  });
});

test.each([
  [
    {},
    'The tool "polite_tool" needs the argument TextInput-name_input_value, TextInput-greeting_input_value.',
  ],
  [
    { 'TextInput-name_input_value': null, 'TextInput-greeting_input_value': 'Hi' },
    'TextInput-name_input_value.',
  ],
])('a call as a tool with the arguments %j fails and names those that are missing', async (given, reason) => {
  expect(await failureOf(callAsTool(given))).toContain(reason);
});

test('a call as a tool takes nested arguments, and values that the node has saved', async () => {
  const nested = { 'TextInput-name~input_value': 'Bo', 'TextInput-greeting_input_value': 'Hi' };
  expect((await callAsTool({ flow_tweak_data: nested })).result).toBe('Hi, Bo!');
  const saved = { flow_name_selected: 'polite', 'TextInput-greeting~input_value': 'Salve' };
  const { result } = await callToolOf(
    toolNode('RunFlow-r', 'RunFlow', [], saved),
    { 'TextInput-name_input_value': 'Bo' },
    { resources: provided.resources },
  );
  expect(result).toBe('Salve, Bo!');
});

test('the table of the node renames, describes and disables the tool', async () => {
  const row = { name: 'greet', description: 'Greets.', tags: ['polite_tool'], status: true };
  const given = { 'TextInput-name_input_value': 'Bo', 'TextInput-greeting_input_value': 'Hi' };
  const named = await callAsTool(given, [row]);
  expect(named.tools[0]).toMatchObject({ name: 'greet', description: 'Greets.' });
  const off = await callAsTool({}, [{ ...row, status: false }]);
  expect(off.tools).toEqual([]);
});
