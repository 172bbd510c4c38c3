import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { refusals } from '@millrace/flow';
import { recordingRunObserver } from './testing/recording-run-observer';
import { planOf } from './testing/test-flow';
import type { TestNode } from './testing/test-flow';
import { chatRequest, runPlan, testEnvironment, texts } from './testing/test-run';
import { execute } from './execute';

const any = { outputs: { by: 'type', type: 'any' } } as const;
const debug = { outputs: { by: 'type', type: 'debug' } } as const;

const outerNodes: readonly TestNode[] = [
  { type: 'ChatInput' },
  { type: 'Loop' },
  { type: 'Table' },
  { type: 'TextOutput' },
];
const outerEdges = [
  'ChatInput-a.message > Loop-a.words',
  'Loop-a.done > Table-a.table',
  'Table-a.text > TextOutput-a.input_value',
];

test('a loop runs its body once for each item, in order, and outputs the returned values', async () => {
  const plan = planOf(
    [...outerNodes, { type: 'Join', values: { second: '!' } }],
    [...outerEdges, 'Loop-a.item > Join-a.first', 'Join-a.joined > Loop-a.item'],
  );
  const { response, reports } = await runPlan(plan, chatRequest('b a c', any));
  expect(texts(response)).toEqual({ 'TextOutput-a': 'b|! / a|! / c|!' });
  expect(reports.filter((report) => report.vertexId === 'Join-a')).toHaveLength(3);
});

test('the body uses values from outside of the loop, which are computed once', async () => {
  const plan = planOf(
    [
      ...outerNodes,
      { id: 'Join-outside', type: 'Join', values: { first: 'x', second: 'y' } },
      { id: 'Slow-outside', type: 'Slow', fields: { milliseconds: { type: 'int', value: 10 } } },
      { type: 'Join' },
    ],
    [
      ...outerEdges,
      'Join-outside.joined > Slow-outside.input_value',
      'Slow-outside.text > Join-a.second',
      'ChatInput-a.message > Slow-outside.input_value',
      'Loop-a.item > Join-a.first',
      'Join-a.joined > Loop-a.item',
    ],
  );
  const { response, reports } = await runPlan(plan, chatRequest('1 2', any));
  expect(texts(response)).toEqual({ 'TextOutput-a': '1|1 2 / 2|1 2' });
  expect(reports.filter((report) => report.vertexId === 'Slow-outside')).toHaveLength(1);
});

test('each round decides again which branch of the body it takes', async () => {
  const plan = planOf(
    [
      ...outerNodes,
      { type: 'Router' },
      { id: 'Join-left', type: 'Join', values: { second: 'L' } },
      { id: 'Join-right', type: 'Join', values: { second: 'R' } },
      { type: 'Collect' },
    ],
    [
      ...outerEdges,
      'Loop-a.item > Router-a.input_text',
      'Router-a.left > Join-left.first',
      'Router-a.right > Join-right.first',
      'Join-left.joined > Collect-a.texts',
      'Join-right.joined > Collect-a.texts',
      'Collect-a.list > Loop-a.item',
    ],
  );
  const { response } = await runPlan(plan, chatRequest('r1 l2 r3', any));
  expect(texts(response)).toEqual({ 'TextOutput-a': 'r1|R / l2|L / r3|R' });
});

test.each([
  [
    'each branch leads back',
    ['Join-left.joined > Loop-a.item', 'Join-right.joined > Loop-a.item'],
    'r1|R / l2|L / r3|R',
  ],
  [
    'in the other order',
    ['Join-right.joined > Loop-a.item', 'Join-left.joined > Loop-a.item'],
    'r1|R / l2|L / r3|R',
  ],
  [
    'one leads back directly',
    ['Join-left.joined > Loop-a.item', 'Router-a.right > Loop-a.item'],
    'r1 / l2|L / r3',
  ],
  [
    'both lead back directly',
    ['Router-a.left > Loop-a.item', 'Router-a.right > Loop-a.item'],
    'r1 / l2 / r3',
  ],
])('every item has the result of the branch that it took: %s', async (_name, back, text) => {
  const plan = planOf(
    [
      ...outerNodes,
      { type: 'Router' },
      { id: 'Join-left', type: 'Join', values: { second: 'L' } },
      { id: 'Join-right', type: 'Join', values: { second: 'R' } },
    ],
    [
      ...outerEdges,
      'Loop-a.item > Router-a.input_text',
      'Router-a.left > Join-left.first',
      'Router-a.right > Join-right.first',
      ...back,
    ],
  );
  const { response } = await runPlan(plan, chatRequest('r1 l2 r3', any));
  expect(texts(response)).toEqual({ 'TextOutput-a': text });
});

test('the last edge that leads back counts when a round reaches several, and what follows its vertex does not run', async () => {
  const plan = planOf(
    [
      ...outerNodes,
      { id: 'Join-first', type: 'Join', values: { second: '1' } },
      { id: 'Join-last', type: 'Join', values: { second: '2' } },
      { id: 'Join-after', type: 'Join', values: { second: '3' } },
    ],
    [
      ...outerEdges,
      'Loop-a.item > Join-first.first',
      'Join-first.joined > Join-last.first',
      'Join-last.joined > Join-after.first',
      'Join-after.joined > Loop-a.item',
      'Join-first.joined > Loop-a.item',
      'Join-last.joined > Loop-a.item',
    ],
  );
  const { response, reports } = await runPlan(plan, chatRequest('a b', any));
  expect(texts(response)).toEqual({ 'TextOutput-a': 'a|1|2 / b|1|2' });
  expect(reports.filter((report) => report.vertexId === 'Join-after')).toEqual([]);
});

test('a loop in the body of another starts with fresh state for each item of the outer one', async () => {
  const plan = planOf(
    [
      ...outerNodes,
      { type: 'Join', values: { first: 'p', second: 'q r' } },
      { id: 'Join-words', type: 'Join' },
      { id: 'Loop-inner', type: 'Loop' },
      { id: 'Counter-inner', type: 'Counter' },
      { id: 'Join-inner', type: 'Join' },
      { id: 'Table-inner', type: 'Table' },
    ],
    [
      ...outerEdges,
      'Loop-a.item > Join-words.first',
      'Join-a.joined > Join-words.second',
      'Join-words.joined > Loop-inner.words',
      'Loop-inner.item > Join-inner.first',
      'Loop-inner.item > Counter-inner.input_value',
      'Counter-inner.count > Join-inner.second',
      'Join-inner.joined > Loop-inner.item',
      'Loop-inner.done > Table-inner.table',
      'Table-inner.text > Loop-a.item',
    ],
  );
  const { response } = await runPlan(plan, chatRequest('A B', any));
  expect(texts(response)).toEqual({ 'TextOutput-a': 'A|p|q|1 / r|1 / B|p|q|1 / r|1' });
});

test('the response contains the vertices outside of the body, and the body has no results', async () => {
  const plan = planOf(
    [...outerNodes, { type: 'Join' }, { id: 'TextOutput-beside', type: 'TextOutput' }],
    [
      ...outerEdges,
      'Loop-a.item > Join-a.first',
      'Join-a.joined > Loop-a.item',
      'Join-a.joined > TextOutput-beside.input_value',
    ],
  );
  const { response } = await runPlan(plan, chatRequest('x', debug));
  expect(Object.keys(texts(response))).toEqual(['ChatInput-a', 'Loop-a', 'Table-a', 'TextOutput-a']);
});

test('a loop without items, or without an edge that leads back, runs nothing', async () => {
  const body: TestNode = { type: 'Failing' };
  const complete = planOf(
    [...outerNodes, body],
    [...outerEdges, 'Loop-a.item > Failing-a.input_value', 'Failing-a.text > Loop-a.item'],
  );
  expect(texts((await runPlan(complete, chatRequest('', any))).response)).toEqual({ 'TextOutput-a': '' });
  const open = planOf([...outerNodes, body], [...outerEdges, 'Loop-a.item > Failing-a.input_value']);
  expect(texts((await runPlan(open, chatRequest('a b', any))).response)).toEqual({ 'TextOutput-a': '' });
});

test('a failure in the body ends the run and names both the loop and the vertex', async () => {
  const plan = planOf(
    [...outerNodes, { type: 'Failing' }],
    [...outerEdges, 'Loop-a.item > Failing-a.input_value', 'Failing-a.text > Loop-a.item'],
  );
  const environment = testEnvironment();
  await expect(execute(plan, chatRequest('a b', any), environment)).rejects.toMatchObject({
    code: 'component_failed',
    message:
      'Error running graph: Error building Component Loop: \n\nError building Component Select Data: \n\na is out of range.',
    vertex: { id: 'Failing-a' },
  });
  expect(environment.stored.filter((message) => message.fields.category === 'error')).toHaveLength(1);
});

test('rounds count towards the limit of executed vertices', async () => {
  const plan = planOf(
    [...outerNodes, { type: 'Join' }],
    [...outerEdges, 'Loop-a.item > Join-a.first', 'Join-a.joined > Loop-a.item'],
  );
  const limits = { maximumVertices: 10, maximumOutputBytes: 1_000_000 };
  const words = Array.from({ length: 20 }, (_, index) => String(index)).join(' ');
  await expect(execute(plan, chatRequest(words, any), testEnvironment({ limits }))).rejects.toMatchObject({
    code: 'too_many_vertices',
  });
});

test('a cancelled run begins no further round', async () => {
  const plan = planOf(
    [...outerNodes, { type: 'Slow', fields: { milliseconds: { type: 'int', value: 20 } } }],
    [...outerEdges, 'Loop-a.item > Slow-a.input_value', 'Slow-a.text > Loop-a.item'],
  );
  const controller = new AbortController();
  const environment = testEnvironment({ signal: controller.signal });
  setTimeout(() => controller.abort(), 30);
  await expect(execute(plan, chatRequest('1 2 3 4 5', any), environment)).rejects.toMatchObject({
    code: 'cancelled',
  });
  const before = environment.reports.length;
  await pause(60);
  expect(environment.reports.length).toBeLessThanOrEqual(before + 1);
  expect(environment.reports.filter((report) => report.vertexId === 'Slow-a').length).toBeLessThan(3);
});

test('a deadline ends rounds that never wait', async () => {
  const plan = planOf(
    [...outerNodes, { type: 'Busy' }],
    [...outerEdges, 'Loop-a.item > Busy-a.input_value', 'Busy-a.text > Loop-a.item'],
  );
  const environment = testEnvironment({ deadline: Date.now() + 60 });
  const words = Array.from({ length: 500 }, (_, index) => String(index)).join(' ');
  await expect(execute(plan, chatRequest(words, any), environment)).rejects.toMatchObject({
    code: 'deadline_exceeded',
  });
});

test('a vertex inside a body that cannot run refuses the run', () => {
  const plan = planOf(
    [...outerNodes, { id: 'Unknown-a', type: 'Unknown' }],
    [...outerEdges, 'Loop-a.item > Unknown-a.first', 'Unknown-a.joined > Loop-a.item'],
  );
  expect(refusals(plan)).toMatchObject([{ code: 'unknown_component', vertexId: 'Unknown-a' }]);
});

test('a run keeps no results of the rounds of a loop that have ended', async () => {
  const plan = planOf(
    [...outerNodes, { type: 'Slow', fields: { milliseconds: { type: 'int', value: 1 } } }],
    [...outerEdges, 'Loop-a.item > Slow-a.input_value', 'Slow-a.text > Loop-a.item'],
  );
  const records: WeakRef<object>[] = [];
  const [rounds, deadline] = [10, Date.now() + 60_000];
  const { observer } = recordingRunObserver();
  await runPlan(plan, chatRequest('1 2 3 4 5 6 7 8 9 10', any), {
    deadline,
    observer: {
      vertex: (execution) => ({
        ...observer.vertex(execution),
        succeeded(record) {
          if (execution.vertex.id !== 'Slow-a') return;
          records.push(new WeakRef(record));
          if (records.length === rounds) collectGarbage();
        },
      }),
    },
  });
  expect(records).toHaveLength(rounds);
  expect(records.filter((record) => record.deref() !== undefined).length).toBeLessThanOrEqual(1);
});

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
