import { compile, parseFlowDocument, protectedFields, refusedTweaks, runOverrides } from '@millrace/flow';
import type { RunRequest, Tweaks } from '@millrace/flow';
import { componentRegistry } from '../component-registry';
import { flow, node } from '../testing/flow-under-test.fixture';

const calling = node('RunFlow-r', 'RunFlow') as { data: { node: { template: Record<string, unknown> } } };
calling.data.node.template['Custom-c~code'] = { name: 'Custom-c~code', type: 'code', value: '', show: true };
const document = flow([
  calling,
  node('ChatInput-a', 'ChatInput'),
  node('SQLComponent-q', 'SQLComponent', { database_url: 'sqlite:///a.sqlite', query: 'SELECT 1' }),
]);
const plan = compile(parseFlowDocument(document), { flowId: 'f', version: 1, registry: componentRegistry });
const request = (tweaks: Tweaks): RunRequest => ({
  form: 'simple',
  inputs: [],
  outputs: { by: 'type', type: 'any' },
  tweaks,
  stream: false,
  sessionId: 's',
  globalVariables: {},
});

test.each<[Tweaks, readonly string[]]>([
  [{ 'ChatInput-a': { code: 'x', sender: 'y' } }, ['code']],
  [
    { 'SQL Database': { query: 'DROP TABLE t', database_url: 'x', code: 'x' } },
    ['code', 'database_url', 'query'],
  ],
  [{ 'SQLComponent-q': { query: 'x' }, 'ChatInput-a': { code: 'x' } }, ['code', 'query']],
  [{ query: 'x' }, ['query']],
  [{ 'RunFlow-r': { 'Custom-c': { code: 'x', other: 'y' } } }, ['Custom-c~code']],
  [{ code: 'x' }, ['code']],
])('%j would change protected fields, and changes none', (tweaks, names) => {
  expect(refusedTweaks(protectedFields(plan), tweaks)).toEqual(names);
  for (const { index } of plan.vertices) {
    const changed =
      runOverrides(plan, request(tweaks), null).get(index)?.fields ?? new Map<string, unknown>();
    expect([...changed.keys()].filter((name) => names.includes(name))).toEqual([]);
  }
});

test.each<Tweaks>([
  {},
  { 'ChatInput-a': { sender: 'y', query: 'x' } },
  { 'Unknown-u': { code: 'x' }, unknown: 'x', sender: 'y' },
])('%j changes no protected field', (tweaks) => {
  expect(refusedTweaks(protectedFields(plan), tweaks)).toEqual([]);
});
