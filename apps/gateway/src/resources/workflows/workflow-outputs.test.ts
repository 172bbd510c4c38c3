import type { ResultData } from '@millrace/flow';
import type { FlowTerminal } from '../../flow-traits/flow-traits';
import { workflowOutputs, workflowText } from './workflow-outputs';
import type { WorkflowOutput } from './workflow-outputs';

const output = (type: string, content: unknown): WorkflowOutput => ({
  type,
  status: 'completed',
  display_name: 'Output',
  content,
  metadata: { component_type: 'ChatOutput' },
});

test.each<[string, Readonly<Record<string, WorkflowOutput>>, string, string]>([
  ['no output', {}, 'none', 'none'],
  ['a text', { a: output('message', 'x') }, 'single', 'single'],
  ['an empty text', { a: output('message', '') }, 'single', 'single'],
  ['two texts', { a: output('message', 'x'), b: output('text', 'y') }, 'multiple', 'multiple'],
  ['a text and a table', { a: output('message', 'x'), b: output('table', []) }, 'single', 'multiple'],
  ['data alone', { a: output('data', {}) }, 'none', 'non_string'],
  ['a message without a text', { a: output('message', {}) }, 'non_string', 'non_string'],
])('the reason with %s', (_, outputs, reason, earlierReason) => {
  expect(workflowText(outputs, '1.13').reason).toBe(reason);
  expect(workflowText(outputs, '1.11').reason).toBe(earlierReason);
});

test('a selection of outputs is for the text alone', () => {
  const outputs = { a: output('message', 'x'), b: output('message', 'y') };
  expect(workflowText(outputs, '1.13', ['b'])).toEqual({ reason: 'single', text: 'y', source: 'b' });
});

const terminal = (id: string, outputType: string, more: Partial<FlowTerminal> = {}): FlowTerminal => ({
  id,
  type: id,
  displayName: id,
  outputType,
  isOutput: false,
  runs: true,
  ...more,
});
const result = (id: string, outputs: ResultData['outputs']): ResultData => ({
  component_id: id,
  component_display_name: id,
  outputs,
  results: {},
  artifacts: {},
  logs: {},
  messages: [],
  timedelta: null,
  duration: null,
  used_frozen_result: false,
  token_usage: null,
});
const contents = (terminals: readonly FlowTerminal[], results: readonly ResultData[], onlyRan = false) =>
  Object.entries(
    workflowOutputs(
      { session_id: 's', outputs: [{ inputs: {}, outputs: results }] },
      { terminals },
      { onlyRan },
    ),
  ).map(([id, { content, metadata }]) => [id, content, metadata]);

test('the outputs are the vertices without followers, also those that did not run', () => {
  const terminals = [
    terminal('ran', 'message', { isOutput: true }),
    terminal('stopped', 'message', { isOutput: true }),
    terminal('Table', 'dataframe'),
    terminal('JSON', 'json'),
    terminal('SaveToFile', 'message'),
  ];
  const found = contents(terminals, [
    result('ran', { message: { message: 'hello', type: 'text' } }),
    // Its follower is an output, so that it is none.
    result('before', { text: { message: 'hello', type: 'text' } }),
    result('Table', { results: { message: [{ a: 1 }], type: 'array' } }),
    result('JSON', { data: { message: { a: 1 }, type: 'object' } }),
    result('SaveToFile', { message: { message: 'saved as a.txt', type: 'text' } }),
  ]);
  expect(found).toEqual([
    ['ran', 'hello', { component_type: 'ran' }],
    ['stopped', null, { component_type: 'stopped' }],
    ['Table', [{ a: 1 }], { component_type: 'Table' }],
    ['JSON', null, { component_type: 'JSON' }],
    ['SaveToFile', null, { component_type: 'SaveToFile', file_path: 'saved as a.txt' }],
  ]);
});

test('the outputs of an answer that is read later are those that ran', () => {
  const terminals = [terminal('ran', 'message', { isOutput: true }), terminal('stopped', 'message')];
  const results = [result('ran', { message: { message: 'hello', type: 'text' } })];
  expect(contents(terminals, results, true)).toEqual([['ran', 'hello', { component_type: 'ran' }]]);
});

test('an output without the value that is looked for has all of its values', () => {
  const outputs = { other: { message: { a: 1 }, type: 'object' } };
  expect(contents([terminal('a', 'message', { isOutput: true })], [result('a', outputs)])).toEqual([
    ['a', outputs, { component_type: 'a' }],
  ]);
});

test.each([
  ['data', 'of the result'],
  ['dataframe', 'of the results'],
])('a vertex of %s with two known outputs shows that %s', (outputType, shown) => {
  const outputs = {
    results: { message: 'of the results', type: 'object' },
    result: { message: 'of the result', type: 'object' },
  };
  expect(contents([terminal('a', outputType)], [result('a', outputs)])).toEqual([
    ['a', shown, { component_type: 'a' }],
  ]);
});
