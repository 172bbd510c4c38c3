import {
  compile,
  defineComponent,
  handle,
  listOf,
  parseFlowDocument,
  text,
  isToolHandle,
} from '@millrace/flow';
import type { Plan } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import { mayStoreMessages } from './graph/may-store-messages';
import { flowFile } from './testing/test-flow';
import type { TestNode } from './testing/test-flow';
import { testRegistry } from './testing/test-components';
import { chatRequest, runPlan, texts } from './testing/test-run';

const toolMode = { tool_mode: true, outputs: [{ name: 'component_as_tool', types: ['Tool'] }] };
let runs = 0;

const echo = defineComponent({
  type: 'Echo',
  displayName: 'Echo',
  description: 'Repeats its input.',
  inputs: { words: text({ tool: true }), prefix: text() },
  outputs: { said: { types: ['Message'], method: 'say' } },
  deterministic: true,
  storesMessages: true,
  run: async ({ words, prefix }, context) => {
    runs += 1;
    const said = await context.sendMessage(new Message({ text: `${prefix}${words}` }));
    await context.storeMessage(new Message({ text: `noted ${words}` }));
    return { said };
  },
});

/** Calls each tool twice, sequentially. */
const caller = defineComponent({
  type: 'Caller',
  displayName: 'Caller',
  description: 'Calls tools.',
  inputs: { tools: listOf(handle()), words: text() },
  outputs: { replies: { types: ['Message'] } },
  deterministic: true,
  run: async ({ tools, words }) => {
    const replies: string[] = [];
    for (const tool of tools) {
      if (!isToolHandle(tool)) continue;
      replies.push(`${tool.name}: ${await tool.call({ words })}`, await tool.call({ words: `${words}!` }));
    }
    return { replies: new Message({ text: replies.join(', ') }) };
  },
});

const own = new Map([
  ['Echo', echo],
  ['Caller', caller],
]);
const plan = (nodes: readonly TestNode[], wires: readonly string[]): Plan =>
  compile(parseFlowDocument(flowFile(nodes, wires)), {
    flowId: '11111111-1111-4111-8111-111111111111',
    version: 1,
    registry: {
      all: [...testRegistry.all, ...own.values()],
      find: (type) => own.get(type) ?? testRegistry.find(type),
    },
  });
const table = (rows: readonly object[]): Readonly<Record<string, object>> => ({
  tools_metadata: { type: 'tools', value: rows },
});
const calling = (further: Partial<TestNode> = {}): Plan =>
  plan(
    [
      { type: 'ChatInput' },
      { type: 'Echo', values: { words: '', prefix: '> ' }, node: toolMode, ...further },
      { type: 'Caller', values: { words: '' }, fields: { tools: { type: 'other', list: true } } },
      { type: 'ChatOutput' },
    ],
    [
      'ChatInput-a.message > Caller-a.words',
      'Echo-a.component_as_tool > Caller-a.tools',
      'Caller-a.replies > ChatOutput-a.input_value',
    ],
  );

beforeEach(() => {
  runs = 0;
});

test('a node in tool mode is passed on as tools, and runs when one of them is called', async () => {
  const { response } = await runPlan(calling(), chatRequest('hi'));
  expect(texts(response)).toEqual({ 'ChatOutput-a': 'say: > hi, > hi!' });
  expect(runs).toBe(2);
});

test('its table renames and disables its tools', async () => {
  const renamed = table([{ name: 'repeat', tags: ['say'], status: true }]);
  expect(texts((await runPlan(calling({ fields: renamed }), chatRequest('hi'))).response)).toEqual({
    'ChatOutput-a': 'repeat: > hi, > hi!',
  });
  const off = table([{ name: 'repeat', tags: ['say'], status: false }]);
  await runPlan(calling({ fields: off }), chatRequest('hi'));
  expect(runs).toBe(2);
});

test('a message that a tool sends is returned to its caller only; a message that it stores is stored', async () => {
  const { stored } = await runPlan(calling(), chatRequest('hi'));
  expect(stored.map((message) => message.text)).toEqual(['hi', 'noted hi', 'noted hi!', 'say: > hi, > hi!']);
  expect(stored[1]?.fields).toMatchObject({ sessionId: 'session-1', sender: 'Machine', senderName: 'AI' });
  expect(stored[1]?.fields.id).toEqual(expect.any(String));
});

test('a call counts as an executed vertex', async () => {
  const limits = { maximumVertices: 4, maximumOutputBytes: 1_000_000 };
  await expect(runPlan(calling(), chatRequest('hi'), { limits })).rejects.toMatchObject({
    code: 'too_many_vertices',
  });
  expect(runs).toBe(1);
});

test('tools are not part of the response', async () => {
  const debug = chatRequest('hi', { outputs: { by: 'component', component: 'Echo-a' } });
  const { response } = await runPlan(calling(), debug);
  expect(response.outputs[0]?.outputs[0]).toMatchObject({
    results: {},
    outputs: { component_as_tool: { message: [null], type: 'array' } },
  });
});

test('the tools of tools are searched once for one that stores messages', () => {
  const callerNode = (id: string): TestNode => ({
    id,
    type: 'Caller',
    values: { words: '' },
    fields: { tools: { type: 'other', list: true } },
    node: toolMode,
  });
  const layers = Array.from({ length: 40 }, (_, layer) =>
    [0, 1, 2].map((place) => `Caller-${layer}-${place}`),
  );
  const wires = layers.flatMap((ids, layer) =>
    ids.flatMap((id) =>
      (layers[layer + 1] ?? ['Caller-top']).map((user) => `${id}.component_as_tool > ${user}.tools`),
    ),
  );
  const nodes = [...layers.flat().map(callerNode), { ...callerNode('Caller-top'), node: {} }];
  const storesAt = (given: Plan): boolean =>
    mayStoreMessages(
      given,
      given.scope,
      given.vertices.findIndex(({ id }) => id === 'Caller-top'),
    );
  expect(storesAt(plan(nodes, wires))).toBe(false);
  const echoes = { type: 'Echo', node: toolMode };
  expect(storesAt(plan([...nodes, echoes], [...wires, 'Echo-a.component_as_tool > Caller-0-0.tools']))).toBe(
    true,
  );
});
