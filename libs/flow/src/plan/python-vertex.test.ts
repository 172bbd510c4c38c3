import { createHash } from 'node:crypto';
import { compile, defineComponent, flowReport, parseFlowDocument, refusals } from '../index';
import type { FlowReport, Plan, PythonPolicy } from '../index';

const echo = defineComponent({
  type: 'Echo',
  displayName: 'Echo',
  description: 'For the tests.',
  inputs: {},
  outputs: { text: { types: ['Message'] } },
  deterministic: true,
  run: () => ({}),
});
const environment = {
  python: '3.11.7',
  lfx: '1.13.0',
  components: new Map([['AstraDB', 'lfx.components.datastax.astradb.AstraDBVectorStoreComponent']]),
  modules: new Set(['lfx', 'numpy']),
};
const text = 'from lfx.custom import Component\nimport numpy\nclass Mine(Component): pass\n';
const sha256 = createHash('sha256').update(text).digest('hex');

function node(type: string, template: object = {}, body: object = {}) {
  const outputs = [{ name: 'result', display_name: 'Result', method: 'build_it', types: ['Data'] }];
  return { id: `${type}-1`, type: 'genericNode', data: { type, node: { template, outputs, ...body } } };
}
const coded = (value: string) => ({ code: { type: 'code', value } });

function compiled(nodes: readonly object[], python: PythonPolicy, editedCode?: string): Plan {
  const document = parseFlowDocument({ nodes, edges: [], edited_code: editedCode });
  const registry = {
    all: [echo],
    find: (type: string) => (type === 'Echo' ? echo : undefined),
    python,
  };
  return compile(document, { flowId: 'f', version: 1, registry });
}

function statuses(plan: Plan, isApproved = false): readonly string[] {
  const report: FlowReport = flowReport(plan, { hasVariable: () => true, isApproved: () => isApproved });
  return [report.verdict, ...report.vertices.map(({ status }) => status)];
}

test("an author's text runs after its approval, and its plan needs Python whatever the policy", () => {
  const nodes = [node('Mine', coded(text))];
  const plan = compiled(nodes, { mode: 'approved', environment });
  expect(plan.vertices[0]).toMatchObject({
    problem: null,
    python: { state: 'ready', source: { sha256, text } },
    component: { outputs: { result: { types: ['Data'], displayName: 'Result' } } },
    replacesCode: false,
    unlistedVersion: null,
  });
  expect(plan.needsPython).toBe(true);
  expect(statuses(plan)).toEqual(['needs_approval', 'needs_approval']);
  expect(statuses(plan, true)).toEqual(['runnable', 'python']);
  const off = compiled(nodes, { mode: 'off', environment: null });
  expect(off.needsPython).toBe(true);
  expect(refusals(off)).toMatchObject([{ code: 'unknown_component', vertexId: 'Mine-1' }]);
  expect(statuses(off)).toEqual(['needs_python', 'needs_python']);
});

test('the edited text of a stock component runs in Python, unless the owner accepted the stock component', () => {
  const nodes = [node('Echo', coded(text))];
  const refused = compiled(nodes, { mode: 'off', environment: null });
  expect(refusals(refused)).toMatchObject([{ code: 'edited_code' }]);
  const plan = compiled(nodes, { mode: 'approved', environment });
  expect(plan.vertices[0]).toMatchObject({ acceptable: true, python: { source: { sha256 } } });
  const accepted = compiled(nodes, { mode: 'approved', environment }, 'stock');
  expect(accepted.vertices[0]).toMatchObject({ component: { type: 'Echo' }, python: null });
  expect(accepted.needsPython).toBe(false);
});

test("a stock type that is not native runs as the installed lfx's class, never as the text of the file", () => {
  const published = { metadata: { code_hash: '', module: 'lfx.components.datastax.astradb.X' } };
  const stock = node('ext:datastax:AstraDB@official', {}, published);
  const plan = compiled([stock], { mode: 'approved', environment });
  expect(plan.vertices[0]?.python).toEqual({
    state: 'ready',
    source: { module: 'lfx.components.datastax.astradb.AstraDBVectorStoreComponent' },
    missingModules: [],
  });
  expect(statuses(plan)).toEqual(['runnable', 'python']);
  const unknown = compiled([stock], { mode: 'approved', environment: null });
  expect(statuses(unknown)).toEqual(['needs_python', 'needs_python']);
  expect(refusals(unknown)).toMatchObject([{ code: 'python_unavailable' }]);
});

test("a class of the installed lfx does not run in place of an extension's class of its name", () => {
  const metadata = { code_hash: '', module: 'lfx_acme.components.acme.astradb.AstraDB' };
  const ofAcme = node('ext:acme:AstraDB@official', {}, { metadata });
  expect(statuses(compiled([ofAcme], { mode: 'approved', environment }))).toEqual(['refused', 'refused']);
  const withText = node('ext:acme:AstraDB@official', coded(text), { metadata });
  expect(statuses(compiled([withText], { mode: 'approved', environment }))).toEqual([
    'needs_approval',
    'needs_approval',
  ]);
});

test('neither a short hash nor a mark of the file approves a text', () => {
  const metadata = { code_hash: sha256.slice(0, 12), module: 'custom_components.mine' };
  const plan = compiled([node('Mine', coded(text), { metadata, edited: false })], {
    mode: 'approved',
    environment,
  });
  expect(statuses(plan)).toEqual(['needs_approval', 'needs_approval']);
});

test('a missing module is named', () => {
  const plan = compiled([node('Mine', coded(`import duckdb\n${text}`))], { mode: 'approved', environment });
  expect(statuses(plan)).toEqual(['needs_package', 'needs_package']);
  expect(refusals(plan)).toMatchObject([
    { code: 'package_missing', message: expect.stringContaining('duckdb') },
  ]);
});

test.each([
  ['without its text', {}, { metadata: { code_hash: '0123456789ab' } }],
  ['that is not well-formed Unicode', coded('x = "\ud800"'), {}],
  ['with U+0000, which an admin would not see', coded('x = 1\0'), {}],
])("an author's component %s is refused", (_what, template, body) => {
  const plan = compiled([node('Mine', template, body)], { mode: 'all', environment });
  expect(plan.vertices[0]).toMatchObject({ python: null, component: null });
  expect(statuses(plan, true)).toEqual(['refused', 'refused']);
});

test('a stock class that executes code of its fields, of a model or of a file needs the mode "all"', () => {
  const components = new Map([
    ['PythonFunction', 'lfx.components.prototypes.python_function.PythonFunctionComponent'],
    ['Smart Transform', 'lfx_bundles.llm_operations.lambda_filter.LambdaFilterComponent'],
  ]);
  const nodes = [
    node('PythonFunction', { function_code: { type: 'code', value: 'def f(): return 1' } }),
    node('Smart Transform'),
  ];
  const published = nodes.map((one) => ({
    ...one,
    data: { ...one.data, node: { ...one.data.node, metadata: { module: 'lfx.components.x.X' } } },
  }));
  const own = { ...environment, components };
  const plan = compiled(published, { mode: 'approved', environment: own });
  expect(statuses(plan, true)).toEqual(['refused', 'refused', 'refused']);
  expect(refusals(plan)).toMatchObject([
    { code: 'code_not_approved', message: expect.stringContaining('MILLRACE_PYTHON=all') },
    { code: 'code_not_approved' },
  ]);
  const all = compiled(published, { mode: 'all', environment: own });
  expect(statuses(all)).toEqual(['runnable', 'python', 'python']);
});
