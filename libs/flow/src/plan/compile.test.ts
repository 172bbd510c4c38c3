import {
  compile,
  defineComponent,
  integer,
  parseFlowDocument,
  publishedHashes,
  refusals,
  text,
} from '../index';
import { documentBounds } from '../document/document-bounds';
import type { Component, ComponentRegistry, Plan } from '../index';

const box = defineComponent({
  type: 'Box',
  aliases: ['OldBox', 'BoxThing'],
  displayName: 'Box',
  description: 'For the tests.',
  inputs: { label: text({ default: 'none' }), count: integer({ default: 3 }) },
  outputs: { result: { types: ['Message'] } },
  deterministic: true,
  run: () => ({}),
});

const fork = defineComponent({
  ...box,
  type: 'Fork',
  aliases: [],
  outputs: { yes: { types: ['Message'] }, no: { types: ['Message'] } },
});

const registry: ComponentRegistry = {
  all: [box, fork],
  find: (type) =>
    type === 'Fork' ? fork : ['Box', 'OldBox', 'BoxThing', 'ChatInput'].includes(type) ? box : undefined,
};

function planOf(nodes: readonly object[], edges: readonly object[] = []): Plan {
  return compile(parseFlowDocument({ nodes, edges }), { flowId: 'f', version: 3, registry });
}

function node(id: string, type: string, template: object = {}, body: object = {}): object {
  return { id, type: 'genericNode', data: { type, node: { display_name: 'A Box', template, ...body } } };
}

test('finds components by type, by alias and by the bundle form of a type', () => {
  for (const type of [
    'Box',
    'OldBox',
    'ext:openai:Box@official',
    'ext:openai:BoxThingComponent@official',
    'ext:openai:BoxThingComponent@official-pre-a',
  ]) {
    expect(planOf([node('B-1', type)]).vertices[0]?.component).toBe(box);
  }
  expect(planOf([node('B-1', 'ext:openai:Crate@official')]).problems).toEqual([
    {
      code: 'unknown_component',
      blocks: true,
      vertexId: 'B-1',
      componentType: 'ext:openai:Crate@official',
      message: '"A Box" (ext:openai:Crate@official): there is no component of this type.',
    },
  ]);
});

test.each([
  ['boxes', 'ext:boxes:Box@official'],
  ['boxes', 'ext:boxes:BoxThingComponent@extra'],
  ['openai', 'ext:openai:Box@extra'],
  ['openai', 'ext:openai:Box@builtins'],
])('a component of the extension %s is not replaced by a stock component of its name: %s', (bundle, type) => {
  const [vertex] = planOf([node('B-1', type)]).vertices;
  expect(vertex?.component).toBeNull();
  expect(vertex?.problem?.message).toBe(
    `"A Box" (${type}): it comes from the extension "${bundle}", which is not installed here.`,
  );
});

test("each bundle of which a text is listed is one of Langflow's", () => {
  const types = Object.keys(publishedHashes).filter((type) => type.startsWith('ext:'));
  expect(types.length).toBeGreaterThan(100);
  const plan = planOf(types.map((type) => node(type, type)));
  expect(plan.problems.filter(({ message }) => message.includes('extension'))).toEqual([]);
});

test('an empty code field means the stock component, unless the hash in the file was never published', () => {
  const code = { code: { type: 'code', value: '' } };
  const metadata = { code_hash: '0123456789ab' };
  const own = planOf([node('B-1', 'Box', code, { edited: true, metadata })]);
  expect(own.vertices[0]?.component).toBe(box);
  expect(refusals(own)).toEqual([]);
  const published = planOf([node('C-1', 'ChatInput', code, { metadata })]);
  expect(refusals(published)).toMatchObject([{ code: 'edited_code', vertexId: 'C-1' }]);
  const known = { edited: true, metadata: { code_hash: '88cc3fef8f84' } };
  expect(refusals(planOf([node('C-1', 'ChatInput', code, known)]))).toEqual([]);
});

test('the stock component that was accepted in place of edited code runs until the code changes', () => {
  const accepted = (code_hash: string) => ({ metadata: { code_hash, accepted_code_hash: '0123456789ab' } });
  const plan = planOf([node('C-1', 'ChatInput', {}, accepted('0123456789ab'))]);
  expect(refusals(plan)).toEqual([]);
  expect(plan.vertices[0]).toMatchObject({ component: box, replacesCode: true });
  expect(refusals(planOf([node('C-1', 'ChatInput', {}, accepted('ba9876543210'))]))).toHaveLength(1);
});

test('runs that would reach unpublished code are refused', () => {
  const code = { code: { type: 'code', value: 'class Box: pass' } };
  const plan = planOf([node('B-1', 'Box', code)]);
  expect(refusals(plan)).toMatchObject([{ code: 'edited_code', vertexId: 'B-1', blocks: true }]);
  expect(plan.vertices[0]?.component).toBeNull();
  const unreachable = planOf([node('ChatInput-1', 'ChatInput'), node('B-1', 'Box', code)]);
  expect(refusals(unreachable)).toEqual([]);
  expect(unreachable.problems).toHaveLength(1);
});

test('a node without a template is refused, not ignored', () => {
  const plan = planOf([{ id: 'B-1', data: { type: 'Box', node: {} } }]);
  expect(refusals(plan)).toMatchObject([{ code: 'invalid_node', vertexId: 'B-1' }]);
});

test('computes the values that are the same in every run', () => {
  const [vertex] = planOf([
    node('B-1', 'Box', {
      _type: 'Component',
      label: { type: 'str', value: 'a\\nb', show: true },
      count: { type: 'int', value: '7', show: true },
      hidden: { type: 'str', value: 'x', show: false },
      wireOnly: { type: 'other', value: 'x', show: true },
      flag: { type: 'bool', value: 'false', show: true },
      pairs: { type: 'dict', value: [{ key: 'k', value: 1 }, { other: 2 }], show: true },
      model_kwargs: { type: 'str', value: '{"a":1}', show: true },
      config: { type: 'str', value: 'no json', show: true },
      files: { type: 'file', value: '', file_path: 'flow/a.txt', show: true },
      template: { type: 'prompt', value: 'a\\nb', show: true },
      empty: { type: 'prompt', value: '', show: true },
      nothing: { type: 'str', value: null, show: true },
    }),
  ]).vertices;
  expect(vertex?.inputs).toEqual({ label: 'a\nb', count: 7 });
  expect({ ...vertex?.values }).toEqual({
    label: 'a\nb',
    count: 7,
    flag: true,
    pairs: { k: 1, other: 2 },
    model_kwargs: { a: 1 },
    files: 'flow/a.txt',
    template: 'a\\nb',
  });
  expect(planOf([node('B-1', 'Box')]).vertices[0]?.inputs).toMatchObject({ label: 'none' });
});

test('roles come from the type, the id and the node; a run starts at the webhook, else at the chat input', () => {
  const plan = planOf([
    node('Box-1', 'Box', {}, { is_output: true }),
    node('ChatInput-1', 'Box'),
    node('Webhook-1', 'Box'),
    node('Box-2', 'Box'),
  ]);
  expect(plan.vertices.map(({ isInput, isOutput }) => [isInput, isOutput])).toEqual([
    [false, true],
    [true, false],
    [true, false],
    [false, false],
  ]);
  expect(plan.scope).toMatchObject({ start: 2, vertices: [2], pending: [-1, -1, 0, -1] });
});

test('an edge that names no output starts at the only one; incompatible types are reported', () => {
  const edge = (name: string, types: readonly string[]): object => ({
    source: 'Box-1',
    target: 'Box-2',
    data: {
      sourceHandle: { id: 'Box-1', name, output_types: types },
      targetHandle: { id: 'Box-2', fieldName: 'label', inputTypes: ['JSON'], type: 'other' },
    },
  });
  const nodes = [node('Box-1', 'Box'), node('Box-2', 'Box')];
  const plan = planOf(nodes, [edge('', ['Data']), edge('old_name', ['Message'])]);
  expect(plan.vertices[0]?.wanted).toEqual(['result']);
  expect(plan.vertices[1]?.incoming.map((incoming) => incoming.sourceOutput)).toEqual(['result', 'result']);
  expect(plan.problems).toMatchObject([{ code: 'invalid_edge', blocks: false, vertexId: 'Box-2' }]);
});

test('ends of edges that nothing has, and fields that the component does not declare, are reported', () => {
  const edge = (source: string, output: string, target: string, field: string): object => ({
    source,
    target,
    data: { sourceHandle: { name: output }, targetHandle: { fieldName: field } },
  });
  const outputs = { outputs: [{ name: 'yes' }, { name: 'no' }] };
  const nodes = [
    node('Fork-1', 'Fork', {}, outputs),
    node('Box-2', 'Box', {
      label: { value: 'a' },
      lable: { value: 'b' },
      empty: { value: '' },
      _type: 'Component',
    }),
    node('Box-3', 'Box', { label: { type: 'str', value: 'a' }, more: { type: 'str', value: '' } }),
  ];
  const { problems } = planOf(nodes, [
    edge('Fork-1', 'yes', 'Box-2', 'label'),
    edge('Fork-1', 'maybe', 'Box-3', 'label'),
    edge('Fork-1', 'no', 'Box-3', 'lable'),
    edge('Fork-1', 'no', 'Box-3', 'more'),
  ]);
  expect(problems.map(({ code, blocks, vertexId, message }) => [code, blocks, vertexId, message])).toEqual([
    [
      'missing_part',
      false,
      'Fork-1',
      'It has no output "maybe": the edge from there to "Box-3" fails the run that reaches it.',
    ],
    [
      'missing_part',
      false,
      'Box-3',
      'It has no field "lable": the edge from "Fork-1" to there has no effect.',
    ],
    ['unknown_field', false, 'Box-2', '"Box-2" has a value for "lable", which is no field of Box.'],
  ]);
});

test('a field without a type keeps false and 0; the editor saves a type', () => {
  const countOf = (entry: object) =>
    planOf([node('Box-1', 'Box', { count: entry })]).vertices[0]?.inputs['count'];
  expect([countOf({ value: 0 }), countOf({ value: 7 }), countOf({ value: null })]).toEqual([0, 7, 3]);
});

test('a value in place of the object of a field is named', () => {
  const { vertices } = planOf([node('Box-1', 'Box', { label: 'a', _type: 'Component', code: null })]);
  expect(vertices[0]?.unknownMembers).toEqual(['template.label']);
});

test('the plan contains its flow and version', () => {
  expect(planOf([])).toMatchObject({ flowId: 'f', version: 3, vertices: [], refusals: [] });
});

test('runs that would reach a loop beyond the limit are refused', () => {
  const loop: Component = {
    ...box,
    type: 'Loop',
    outputs: { item: { types: ['Data'], loops: true }, result: { types: ['Message'] } },
  };
  const nodes = Array.from({ length: documentBounds.loops + 1 }, (_, index) => node(`Loop-${index}`, 'Loop'));
  const plan = compile(parseFlowDocument({ nodes, edges: [] }), {
    flowId: 'f',
    version: 1,
    registry: { all: [loop], find: () => loop },
  });
  expect(refusals(plan)).toEqual([
    {
      code: 'too_large',
      blocks: true,
      vertexId: `Loop-${documentBounds.loops}`,
      componentType: 'Loop',
      message: '"A Box" (Loop): a flow can have at most 50 loops.',
    },
  ]);
});

const edge = (source: string, name: string, target: string): object => ({
  source,
  target,
  data: { sourceHandle: { name }, targetHandle: { fieldName: 'value' } },
});

test('an output with the name of one that an edge brings is computed, too', () => {
  const outputs = { outputs: [{ name: 'yes' }, { name: 'no' }] };
  const nodes = [1, 2, 3].map((index) => node(`Fork-${index}`, 'Fork', {}, outputs));
  const plan = planOf(nodes, [edge('Fork-1', 'no', 'Fork-2'), edge('Fork-2', 'yes', 'Fork-3')]);
  expect(plan.vertices.map(({ wanted }) => wanted)).toEqual([['no'], ['yes', 'no'], ['yes', 'no']]);
});

test('a vertex that is a tool alone computes no output for the name that an edge brings', () => {
  const outputs = { outputs: [{ name: 'no' }, { name: 'component_as_tool' }] };
  const nodes = [1, 2, 3].map((index) => node(`Fork-${index}`, 'Fork', {}, outputs));
  const plan = planOf(nodes, [edge('Fork-1', 'no', 'Fork-2'), edge('Fork-2', 'component_as_tool', 'Fork-3')]);
  expect(plan.vertices[1]?.wanted).toEqual(['component_as_tool']);
});
