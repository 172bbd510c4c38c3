import { InvalidFlowError, parseFlowDocument } from '../index';
import { documentBounds } from './document-bounds';

function node(id: string, type: string, body: object = {}): Record<string, unknown> {
  return { id, type: 'genericNode', data: { type, node: { template: {}, outputs: [], ...body } } };
}

function edge(source: string, output: string, target: string, field: string): Record<string, unknown> {
  return {
    source,
    target,
    data: {
      sourceHandle: { id: source, name: output, output_types: ['Message'] },
      targetHandle: { id: target, fieldName: field, inputTypes: ['Message'], type: 'str' },
    },
  };
}

const nodes = [node('A-1', 'A'), node('B-1', 'B')];

test('reads the wrapped and the bare form', () => {
  const graph = { nodes, edges: [edge('A-1', 'out', 'B-1', 'in')] };
  const wrapped = parseFlowDocument({ name: 'x', data: graph });
  expect(JSON.stringify(wrapped)).toBe(JSON.stringify(parseFlowDocument(graph)));
  expect(wrapped.edges).toEqual([
    {
      sourceId: 'A-1',
      targetId: 'B-1',
      sourceOutput: 'out',
      targetField: 'in',
      sourceTypes: ['Message'],
      targetTypes: ['Message', 'str'],
    },
  ]);
  expect(wrapped.problems).toEqual([]);
});

test.each([
  ['a text', '"x"'],
  ['a list', '[]'],
  ['nothing', 'null'],
  ['an object without nodes', '{"data":{"edges":[]}}'],
  ['nodes that are not a list', '{"nodes":{}}'],
  ['edges that are not a list', '{"nodes":[],"edges":5}'],
])('%s is not a flow', (_what, text) => {
  expect(() => parseFlowDocument(JSON.parse(text))).toThrow(InvalidFlowError);
});

test('ignores notes and edges to missing nodes', () => {
  const note = { id: 'note-1', type: 'noteNode', data: {} };
  const document = parseFlowDocument({
    nodes: [...nodes, note],
    edges: [edge('A-1', 'out', 'Missing-1', 'in'), edge('A-1', 'out', 'B-1', 'in'), { source: 'note-1' }, 7],
  });
  expect(document.nodes.map(({ id }) => id)).toEqual(['A-1', 'B-1']);
  expect(document.edges).toHaveLength(1);
  expect(document.problems).toMatchObject([
    { code: 'dangling_edge', blocks: false, vertexId: 'Missing-1' },
    { code: 'dangling_edge', blocks: false },
  ]);
});

test('reports nodes without an id and nodes with a duplicate id', () => {
  const document = parseFlowDocument({ nodes: [...nodes, node('A-1', 'C'), node('', 'D')] });
  expect(document.nodes).toHaveLength(2);
  expect(document.problems.map(({ code }) => code)).toEqual(['invalid_node', 'invalid_node']);
});

test('reads text handles of 1.0 and later, and of earlier releases', () => {
  const document = parseFlowDocument({
    nodes,
    edges: [
      {
        source: 'A-1',
        target: 'B-1',
        sourceHandle: '{œdataTypeœ:œAœ,œidœ:œA-1œ,œnameœ:œoutœ,œoutput_typesœ:[œMessageœ]}',
        targetHandle: '{œfieldNameœ:œinœ,œidœ:œB-1œ,œinputTypesœ:[œMessageœ],œtypeœ:œstrœ}',
      },
      { source: 'A-1', target: 'B-1', sourceHandle: 'A|A-1|Text|object', targetHandle: 'Text;Data|in|B-1' },
      { source: 'A-1', target: 'B-1', sourceHandle: '{œbroken', targetHandle: 5 },
    ],
  });
  expect(document.edges.map(({ sourceOutput, targetField }) => [sourceOutput, targetField])).toEqual([
    ['out', 'in'],
    ['', 'in'],
    ['', ''],
  ]);
  expect(document.edges[1]).toMatchObject({
    sourceTypes: ['Text', 'object'],
    targetTypes: ['Text', 'Data', 'Text;Data'],
  });
});

test('the feedback edge of a loop ends at an output', () => {
  const feedback = edge('B-1', 'out', 'A-1', '');
  feedback['data'] = {
    sourceHandle: { id: 'B-1', name: 'out' },
    targetHandle: { dataType: 'A', id: 'A-1', name: 'item', output_types: ['Data'] },
  };
  expect(parseFlowDocument({ nodes, edges: [feedback] }).edges[0]).toMatchObject({
    targetField: 'item',
    targetTypes: ['Data'],
  });
});

test('flattens nested groups: values set on the outer group win, edges lead to the inner nodes', () => {
  const inner = node('In-1', 'In', {
    template: { text: { value: 'old', show: true }, kept: { value: 1, show: true } },
  });
  const middle = node('Group-2', 'GroupNode', {
    template: { text_In: { value: 'middle', show: false, proxy: { id: 'In-1', field: 'text' } } },
    outputs: [{ name: 'In-1_out_put', proxy: { id: 'In-1', name: 'out_put' } }],
    flow: { data: { nodes: [inner, node('In-2', 'In')], edges: [edge('In-1', 'out_put', 'In-2', 'in')] } },
  });
  const outer = node('Group-1', 'GroupNode', {
    template: { text_all: { value: 'outer', show: false, proxy: { id: 'Group-2', field: 'text_In' } } },
    flow: { data: { nodes: [middle], edges: [] } },
  });
  const intoGroup = edge('A-1', 'out', 'Group-1', 'text_all');
  intoGroup['data'] = {
    sourceHandle: { id: 'A-1', name: 'out' },
    targetHandle: { id: 'Group-1', fieldName: 'text_all', proxy: { id: 'Group-2', field: 'text_In' } },
  };
  const document = parseFlowDocument({
    nodes: [...nodes, outer],
    edges: [intoGroup, edge('Group-1', 'Group-2_In-1_out_put', 'B-1', 'in')],
  });
  expect(document.nodes.map(({ id }) => id)).toEqual(['A-1', 'B-1', 'In-1', 'In-2']);
  expect(document.nodes[2]?.fields.get('text')).toMatchObject({ value: 'outer', show: true });
  expect(document.nodes[2]?.fields.get('kept')).toMatchObject({ value: 1 });
  expect(
    document.edges.map((wire) => [wire.sourceId, wire.sourceOutput, wire.targetId, wire.targetField]),
  ).toEqual(
    expect.arrayContaining([
      ['In-1', 'out_put', 'In-2', 'in'],
      ['In-1', 'out_put', 'B-1', 'in'],
    ]),
  );
  expect(document.problems).toEqual([]);
});

test('the contents of a group are counted before its edges are redirected', () => {
  const inner = Array.from({ length: 200_000 }, () => ({}));
  const group = node('g', 'GroupNode', { flow: { data: { nodes: inner, edges: [] } } });
  const edges = Array.from({ length: 20_000 }, () => ({ source: 'g' }));
  expect(() => parseFlowDocument({ nodes: [group], edges })).toThrow(
    'The flow has 200000 nodes; at most 5000 are allowed.',
  );
});

test('an output of a group leads to the first inner node whose id begins its name, else to the last', () => {
  const group = node('g', 'GroupNode', {
    flow: { data: { nodes: [node('a_b', 'In'), node('a', 'In'), node('z', 'In')], edges: [] } },
  });
  const names = ['a_b_c', 'a_x', 'other'];
  const { edges } = parseFlowDocument({
    nodes: [...nodes, group],
    edges: names.map((name) => edge('g', name, 'B-1', 'in')),
  });
  expect(edges.map((wire) => [wire.sourceId, wire.sourceOutput])).toEqual([
    ['a_b', 'c'],
    ['a', 'x'],
    ['z', 'other'],
  ]);
});

test('member names such as __proto__ and constructor in a file are ordinary names', () => {
  const json: unknown = JSON.parse(
    '{"nodes":[{"id":"A-1","__proto__":{"x":1},"data":{"type":"constructor","node":{"template":' +
      '{"__proto__":{"value":"evil","show":true},"constructor":{"value":"fine","show":true}}}}}],"edges":[]}',
  );
  const [only] = parseFlowDocument(json).nodes;
  expect([...(only?.fields.keys() ?? [])]).toEqual(['constructor']);
  expect(Object.getPrototypeOf({})).toBe(Object.prototype);
});

test('rejects a document that is nested too deeply or too large, without a stack overflow', () => {
  const deep: unknown = JSON.parse('['.repeat(5_000) + ']'.repeat(5_000));
  expect(() => parseFlowDocument({ nodes: [node('A-1', 'A', { extra: deep })] })).toThrow(/levels deep/);
  const many = Array.from({ length: documentBounds.nodes + 1 }, (_, index) => node(`A-${index}`, 'A'));
  expect(() => parseFlowDocument({ nodes: many })).toThrow(/at most 5000/);
});
