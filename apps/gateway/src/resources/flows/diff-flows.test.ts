import { diffFlows } from './diff-flows';

const node = (id: string, template: object, body: object = {}) => ({
  id,
  position: { x: Math.random(), y: 0 },
  data: { id, type: id.split('-')[0], node: { display_name: `The ${id}`, template, ...body } },
});
const edge = (source: string, target: string, fieldName: string) => ({
  source,
  target,
  id: `${source}${target}${Math.random()}`,
  data: { sourceHandle: { name: 'message' }, targetHandle: { fieldName } },
});
const flow = (nodes: object[], edges: object[] = []) => ({ nodes, edges, viewport: { zoom: Math.random() } });
const nothing = { vertices: { added: [], removed: [], changed: [] }, edges: { added: [], removed: [] } };

test('names the vertices and edges that were added and removed', () => {
  const before = flow([node('A-1', {}), node('B-1', {})], [edge('A-1', 'B-1', 'text')]);
  const after = flow([node('A-1', {}), node('C-1', {})], [edge('A-1', 'C-1', 'text')]);
  const connection = { source: 'A-1', output: 'message', input: 'text' };
  expect(diffFlows(before, after)).toEqual({
    vertices: {
      added: [{ id: 'C-1', type: 'C', display_name: 'The C-1' }],
      removed: [{ id: 'B-1', type: 'B', display_name: 'The B-1' }],
      changed: [],
    },
    edges: { added: [{ ...connection, target: 'C-1' }], removed: [{ ...connection, target: 'B-1' }] },
  });
});

test('finds no difference where only the layout or the order of members differs', () => {
  const edges = () => [edge('A-1', 'A-1', 'text')];
  const before = flow([node('A-1', { a: { value: 1, name: 'a' }, b: {} })], edges());
  const after = flow([node('A-1', { b: {}, a: { name: 'a', value: 1 } })], edges());
  expect(diffFlows(before, after)).toEqual(nothing);
  const note = { id: 'note-1', type: 'noteNode', data: { type: 'note', node: { description: 'x' } } };
  expect(diffFlows(flow([]), flow([note]))).toEqual(nothing);
});

test('shows what changed in each field', () => {
  const before = node('A-1', {
    text: { value: 'old' },
    former: { value: 1 },
    info: { value: 1, info: 'old' },
  });
  const after = node('A-1', {
    text: { value: 'new' },
    more: { value: [1] },
    info: { value: 1, info: 'new' },
  });
  const field = { secret: false, shortened: false };
  expect(diffFlows(flow([before]), flow([after])).vertices.changed).toEqual([
    {
      id: 'A-1',
      type: 'A',
      display_name: 'The A-1',
      members: [],
      fields: [
        { ...field, name: 'text', change: 'changed', before: 'old', after: 'new', members: ['value'] },
        { ...field, name: 'more', change: 'added', before: null, after: [1], members: ['value'] },
        { ...field, name: 'info', change: 'changed', before: null, after: null, members: ['info'] },
        { ...field, name: 'former', change: 'removed', before: 1, after: null, members: ['value'] },
      ],
    },
  ]);
});

test('names changed members of a vertex, and shortens long values', () => {
  const before = node('A-1', { code: { value: 'x' } }, { outputs: [1] });
  const after = node('A-1', { code: { value: 'y'.repeat(5_000) } }, { outputs: [2] });
  const [changed] = diffFlows(flow([before]), flow([after])).vertices.changed;
  expect(changed).toMatchObject({ members: ['outputs'], fields: [{ before: 'x', shortened: true }] });
  expect(changed?.fields[0]?.after).toBe('y'.repeat(1_000));
});

test('never shows the value of a secret, and shows the names of variables', () => {
  const secret = (value: string, more: object = {}) => ({ password: true, value, ...more });
  const pairs: readonly (readonly [object, object])[] = [
    [secret('canary-1'), secret('canary-2')],
    [secret('canary-1'), { value: 'canary-2' }],
    [secret('canary-1'), secret('VARIABLE', { load_from_db: true })],
    [{}, secret('canary-2')],
  ];
  for (const [old, now] of pairs) {
    for (const [before, after] of [
      [old, now],
      [now, old],
    ] as const) {
      const diff = diffFlows(flow([node('A-1', { key: before })]), flow([node('A-1', { key: after })]));
      expect(JSON.stringify(diff)).not.toContain('canary');
      expect(diff.vertices.changed).toMatchObject([{ fields: [{ name: 'key', secret: true }] }]);
    }
  }
  const variable = (value: string) => node('A-1', { key: secret(value, { load_from_db: true }) });
  const renamed = diffFlows(flow([variable('ONE')]), flow([variable('TWO')]));
  expect(renamed.vertices.changed[0]?.fields).toMatchObject([{ before: 'ONE', after: 'TWO', secret: false }]);
});

test('compares the vertices inside groups', () => {
  const group = (value: string) =>
    node('Group-1', {}, { flow: { data: flow([node('Inner-1', { key: { password: true, value } })]) } });
  const diff = diffFlows(flow([group('canary-1')]), flow([group('canary-2')]));
  expect(diff.vertices.changed).toMatchObject([{ id: 'Inner-1', fields: [{ name: 'key', secret: true }] }]);
  expect(JSON.stringify(diff)).not.toContain('canary');
});

test.each([
  null,
  {},
  [],
  'text',
  { nodes: 7 },
  { nodes: [null, {}, { id: 1, data: { node: { template: 7 } } }] },
])('compares with %j', (document) => {
  expect(diffFlows(document, document)).toEqual(nothing);
  expect(() => diffFlows(document, flow([node('A-1', {})]))).not.toThrow();
});
