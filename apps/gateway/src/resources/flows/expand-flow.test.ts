import { gatewayForTests } from '../../testing/test-gateway';

const gateway = gatewayForTests();

const expand = async (nodes: unknown, edges: unknown = []) => {
  const { status, json } = await gateway.call('POST', '/api/v1/flows/expand/', { nodes, edges });
  return { status, json: json as { detail?: string; nodes?: Node[]; edges?: unknown[] } };
};

interface Node {
  readonly data: { readonly node: { readonly template: Readonly<Record<string, unknown>> } };
}

const input = { id: 'in', type: 'ChatInput' };
const output = { id: 'out', type: 'ChatOutput', values: { sender_name: 'Bot' } };
const edge = { source: 'in', source_output: 'message', target: 'out', target_input: 'input_value' };

test('an expanded flow has the fields, values and handles of its components, and runs', async () => {
  const { status, json } = await expand([input, output], [edge]);
  expect(status).toBe(200);
  expect(json.nodes).toMatchObject([
    {
      id: 'in',
      type: 'genericNode',
      data: {
        type: 'ChatInput',
        id: 'in',
        node: {
          display_name: 'Chat Input',
          base_classes: ['Message'],
          outputs: [{ name: 'message', types: ['Message'], selected: 'Message' }],
          template: { _type: 'Component', input_value: { type: 'str', value: '', show: true } },
        },
      },
    },
    { id: 'out', data: { node: { template: { sender_name: { type: 'str', value: 'Bot' } } } } },
  ]);
  const sourceHandle = '{œdataTypeœ:œChatInputœ,œidœ:œinœ,œnameœ:œmessageœ,œoutput_typesœ:[œMessageœ]}';
  expect(json.edges).toMatchObject([
    {
      source: 'in',
      target: 'out',
      sourceHandle,
      data: {
        sourceHandle: { name: 'message', output_types: ['Message'] },
        targetHandle: { fieldName: 'input_value', id: 'out' },
      },
    },
  ]);
  const created = await gateway.call('POST', '/api/v1/flows/', { name: 'expanded', data: json });
  const { id } = created.json as { id: string };
  const run = await gateway.call('POST', `/api/v1/run/${id}`, { input_value: 'hello' });
  expect(run).toMatchObject({ status: 200 });
  expect(run.text).toContain('"sender_name":"Bot"');
});

test('a value without a field, and a node of the caller, are kept', async () => {
  const own = { id: 'own', type: 'Mine', edited: true, node: { template: { a: { value: 1 } } } };
  const { json } = await expand([{ ...input, values: { made_up: 3, __proto__: null } }, own]);
  expect(json.nodes?.[0]?.data.node.template).toMatchObject({ made_up: { value: 3 } });
  expect(json.nodes?.[1]?.data.node).toEqual(own.node);
});

test.each([
  [
    'an unknown component',
    [{ id: '1', type: 'Nope' }],
    [],
    "Component type 'Nope' not found in component index",
  ],
  ['a source that is missing', [output], [edge], "Source node 'in' not found"],
  ['a target that is missing', [input], [edge], "Target node 'out' not found"],
  [
    'an edited node without data',
    [{ id: '1', type: 'X', edited: true, node: {} }],
    [],
    'Node 1 is marked as edited but has no node data',
  ],
  [
    'members of another type',
    [{ id: 1 }],
    {},
    `3 validation errors for CompactFlowData
nodes.0.id
  Input should be a valid string [type=string_type]
nodes.0.type
  Field required [type=missing]
edges
  Input should be a valid list [type=list_type]`,
  ],
])('%s answers 400 as in Langflow', async (_, nodes, edges, detail) => {
  expect(await expand(nodes, edges)).toMatchObject({ status: 400, json: { detail } });
});

test('a body that is no object answers 422', async () => {
  expect((await gateway.call('POST', '/api/v1/flows/expand/', [])).status).toBe(422);
});

test('a path of the editor beside the routes of flows says that it is one', async () => {
  for (const path of ['flows/basic_examples/', 'starter-projects/', 'store/check/', 'build/x/flow']) {
    const { status, json } = await gateway.call('GET', `/api/v1/${path}`);
    expect([path, status, (json as { detail: string }).detail]).toEqual([
      path,
      404,
      expect.stringContaining('editor'),
    ]);
  }
});
