import { createHash } from 'node:crypto';
import { codeHash, compile, defineComponent, flowReport, message, parseFlowDocument, secret } from '../index';
import type { FlowReport } from '../index';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const model = defineComponent({
  type: 'Model',
  aliases: ['OldModel'],
  displayName: 'Model',
  description: 'For the tests.',
  inputs: {
    input_value: message(),
    key: secret({ required: true, variable: 'MODEL_KEY' }),
    second_key: secret({ required: true }),
    spare_key: secret(),
  },
  outputs: { text: { types: ['Message'] } },
  deterministic: false,
  run: () => ({}),
});
const local = defineComponent({
  ...model,
  type: 'Local',
  aliases: [],
  inputs: {},
  approximates: 'It searches here.',
});
const registry = {
  all: [model, local],
  find: (type: string) => [model, local].find((one) => one.type === type || one.aliases?.includes(type)),
};

const keys = (members: object = {}) => ({
  key: { type: 'str', value: 'a', show: true, password: true, ...members },
  second_key: { type: 'str', value: 'b', show: true, password: true },
});

function node(id: string, type: string, template: object = {}, body: object = {}) {
  return {
    id,
    type: 'genericNode',
    data: { type, node: { template, outputs: [{ name: 'text' }], ...body } },
  };
}

function report(
  nodes: readonly object[],
  { edges = [] as object[], variables = [] as string[] } = {},
): FlowReport {
  const plan = compile(parseFlowDocument({ nodes, edges }), { flowId: 'f', version: 1, registry });
  return flowReport(plan, { hasVariable: (name) => variables.includes(name), isApproved: () => false });
}

test('a tool that a person must approve in an unknown way refuses its vertex, and so the flow', () => {
  const rows = [{ name: 'send', approval_actions: ['delegate'] }];
  const table = { tools_metadata: { type: 'tools', value: rows } };
  const { vertices, verdict } = report([node('a', 'Local', table)]);
  expect(verdict).toBe('refused');
  expect(vertices[0]).toMatchObject({
    status: 'refused',
    reason: expect.stringContaining('a person has to approve the calls of the tool "send"'),
  });
});

test('members that this release does not know are named, unless they hold nothing', () => {
  const template = keys({ redaction: 'strict', hint: '' });
  const body = { outputs: [{ name: 'text', cost_limit: 3 }], guardrails: [{ rule: 1 }], colours: [] };
  const [vertex] = report([node('a', 'Model', template, body)]).vertices;
  expect(vertex).toMatchObject({
    status: 'approximated',
    reason:
      'This release does not know and does not apply these members of the node: guardrails, template.key.redaction, ' +
      'outputs.text.cost_limit.',
  });
  expect(
    parseFlowDocument({ data: { nodes: [], edges: [], budget: { dollars: 1 }, viewport: {} } }).problems,
  ).toEqual([
    {
      code: 'unknown_member',
      blocks: false,
      vertexId: null,
      componentType: null,
      message: 'This release does not know and does not apply the member "budget" of the flow\'s data.',
    },
  ]);
});

test('a vertex is native, upgraded, approximated or refused, with a reason', () => {
  expect(
    report([
      node('a', 'Model', keys()),
      node('b', 'OldModel', keys()),
      node('c', 'Local'),
      node('d', 'Model', { ...keys(), code: { type: 'code', value: 'class Mine: pass' } }),
      node('e', 'Mine', {}, { metadata: { code_hash: '0123456789ab' } }),
      node('f', 'AstraDB'),
      node('g', 'ext:datastax:AstraDB@official'),
      node('h', 'LLMChain'),
      node('i', 'AstraDB', {}, { metadata: { code_hash: '0123456789ab' } }),
      node('j', 'ext:acme:Model@official', keys()),
      node('k', 'ext:openai:Model@official', keys()),
    ]),
  ).toEqual({
    verdict: 'refused',
    vertices: [
      { id: 'a', type: 'Model', status: 'native', reason: null, acceptable: false, sha256: null },
      {
        id: 'b',
        type: 'OldModel',
        status: 'upgraded',
        reason: 'Type "OldModel" is implemented by "Model".',
        acceptable: false,
        sha256: null,
      },
      {
        id: 'c',
        type: 'Local',
        status: 'approximated',
        reason: 'It searches here.',
        acceptable: false,
        sha256: null,
      },
      expect.objectContaining({
        id: 'd',
        status: 'needs_python',
        acceptable: true,
        sha256: sha256('class Mine: pass'),
      }),
      expect.objectContaining({ id: 'e', status: 'refused', acceptable: false, sha256: null }),
      expect.objectContaining({ id: 'f', status: 'needs_python', acceptable: false }),
      expect.objectContaining({ id: 'g', status: 'needs_python' }),
      expect.objectContaining({ id: 'h', status: 'refused' }),
      expect.objectContaining({ id: 'i', status: 'refused' }),
      {
        id: 'j',
        type: 'ext:acme:Model@official',
        status: 'refused',
        reason:
          '"ext:acme:Model@official" (ext:acme:Model@official): it comes from the extension "acme", ' +
          'which is not installed here.',
        acceptable: false,
        sha256: null,
      },
      expect.objectContaining({ id: 'k', status: 'upgraded' }),
    ],
  });
});

test('a vertex with an edge that its component has no field for runs without it', () => {
  const edges = [
    {
      source: 'a',
      target: 'b',
      data: { sourceHandle: { name: 'text' }, targetHandle: { fieldName: 'input' } },
    },
  ];
  const { verdict, vertices } = report([node('a', 'Model', keys()), node('b', 'Model', keys())], { edges });
  expect(verdict).toBe('approximated');
  expect(vertices[1]).toMatchObject({
    status: 'approximated',
    reason: 'It has no field "input": the edge from "a" to there has no effect.',
  });
});

test('the worst status of the reachable vertices decides; other vertices are ignored', () => {
  expect(report([node('a', 'Local'), node('b', 'Model', keys())]).verdict).toBe('approximated');
  expect(report([node('a', 'Local'), node('b', 'Model')]).verdict).toBe('needs_credentials');
  expect(
    report([node('ChatInput-1', 'Model', keys(), { is_input: true }), node('b', 'Unknown')]),
  ).toMatchObject({
    verdict: 'runnable',
    vertices: [{ status: 'native' }, { status: 'refused' }],
  });
});

test('a stock node of an unlisted version runs, and the report names the parts that our component lacks', () => {
  const code = 'class Model: pass';
  const body = {
    edited: false,
    lf_version: '1.99.0',
    metadata: { module: 'lfx.components.models.model.Model', code_hash: codeHash(code) },
    outputs: [{ name: 'text' }, { name: 'cost' }],
    custom_fields: { template: ['city'] },
  };
  const template = {
    ...keys(),
    code: { type: 'code', value: code },
    region: { type: 'str', value: 'eu' },
    empty: { type: 'str', value: '' },
    city: { type: 'str', value: 'Rome' },
    _type: 'Component',
  };
  const [vertex] = report([node('a', 'Model', template, body)]).vertices;
  expect(vertex).toMatchObject({
    status: 'approximated',
    acceptable: false,
    reason:
      'Langflow 1.99.0 saved the node with an unlisted version of the component. ' +
      'The component here lacks the fields region and the outputs cost.',
  });
});

test('stock components that the owner accepted in place of edited code are reported', () => {
  const metadata = { code_hash: '0123456789ab', accepted_code_hash: '0123456789ab' };
  const [vertex] = report([node('a', 'Local', {}, { metadata })]).vertices;
  expect(vertex).toMatchObject({ status: 'approximated' });
});

describe('a secret', () => {
  const status = (template: object, more: { edges?: object[]; variables?: string[] } = {}) =>
    report([node('a', 'Model', template), node('z', 'Local')], more).vertices[0];

  test('that is missing is reported: the variable that can provide it, or the field', () => {
    expect(status({})).toMatchObject({
      status: 'needs_credentials',
      reason: 'It needs MODEL_KEY, its field "second_key".',
    });
    expect(status({ second_key: keys().second_key }, { variables: ['MODEL_KEY'] })).toMatchObject({
      status: 'native',
    });
  });

  test('that names a variable must name an existing one', () => {
    const named = keys({ value: 'MY_KEY', load_from_db: true });
    expect(status(named)).toMatchObject({ status: 'needs_credentials', reason: 'It needs MY_KEY.' });
    expect(status(named, { variables: ['MY_KEY'] })).toMatchObject({ status: 'native' });
  });

  test('that is connected or hidden is not required', () => {
    const edges = [
      {
        source: 'z',
        target: 'a',
        data: { sourceHandle: { name: 'text' }, targetHandle: { fieldName: 'key' } },
      },
    ];
    expect(status(keys({ value: '' }), { edges })).toMatchObject({ status: 'native' });
    expect(status(keys({ value: '', show: false }))).toMatchObject({ status: 'native' });
  });
});
