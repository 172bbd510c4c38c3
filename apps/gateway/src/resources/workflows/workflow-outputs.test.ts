import { workflowTerminals, workflowText } from './workflow-outputs';
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

test('the results of vertices that run are left out where Langflow shows their content', () => {
  const terminal = { id: 'a', type: 'SplitText', displayName: 'Split Text' };
  const idsOf = (outputType: string, runs: boolean) =>
    Object.keys(workflowTerminals({ terminals: [{ ...terminal, outputType, runs }] }));
  expect(idsOf('json', true)).toEqual(['a']);
  expect(idsOf('dataframe', false)).toEqual(['a']);
  expect(idsOf('dataframe', true)).toEqual([]);
});
