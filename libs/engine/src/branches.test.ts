import { planOf } from './testing/test-flow';
import { chatRequest, runPlan, texts } from './testing/test-run';

const debug = { outputs: { by: 'type', type: 'debug' } } as const;

test('a branch that is not taken does not run and is not in the response', async () => {
  const plan = planOf(
    [
      { type: 'ChatInput' },
      { type: 'Router' },
      { id: 'TextOutput-left', type: 'TextOutput' },
      { id: 'TextOutput-right', type: 'TextOutput' },
    ],
    [
      'ChatInput-a.message > Router-a.input_text',
      'Router-a.left > TextOutput-left.input_value',
      'Router-a.right > TextOutput-right.input_value',
    ],
  );
  const left = await runPlan(plan, chatRequest('left', debug));
  expect(Object.keys(texts(left.response))).toEqual(['ChatInput-a', 'Router-a', 'TextOutput-left']);
  expect(left.reports.find((report) => report.vertexId === 'TextOutput-right')?.state).toBe('stopped');
  const right = await runPlan(plan, chatRequest('right', debug));
  expect(Object.keys(texts(right.response))).toEqual(['ChatInput-a', 'Router-a', 'TextOutput-right']);
});

test('a vertex after both branches runs with the active one; the other input has its saved value', async () => {
  const plan = planOf(
    [
      { type: 'ChatInput' },
      { type: 'Router' },
      { type: 'Join', values: { second: 'saved' } },
      { type: 'TextOutput' },
    ],
    [
      'ChatInput-a.message > Router-a.input_text',
      'Router-a.left > Join-a.first',
      'Router-a.right > Join-a.second',
      'Join-a.joined > TextOutput-a.input_value',
    ],
  );
  const left = await runPlan(plan, chatRequest('l', { outputs: { by: 'type', type: 'any' } }));
  expect(texts(left.response)).toEqual({ 'TextOutput-a': 'l|saved' });
  const right = await runPlan(plan, chatRequest('r', { outputs: { by: 'type', type: 'any' } }));
  expect(texts(right.response)).toEqual({ 'TextOutput-a': '|r' });
});

test('a list contains only the values of active branches, in the order of the edges', async () => {
  const plan = planOf(
    [
      { type: 'ChatInput' },
      { type: 'Router' },
      { id: 'Join-left', type: 'Join', values: { second: 'L' } },
      { id: 'Join-right', type: 'Join', values: { second: 'R' } },
      { type: 'Collect' },
      { type: 'TextOutput' },
    ],
    [
      'ChatInput-a.message > Router-a.input_text',
      'Router-a.left > Join-left.first',
      'Router-a.right > Join-right.first',
      'Join-left.joined > Collect-a.texts',
      'Join-right.joined > Collect-a.texts',
      'ChatInput-a.message > Collect-a.texts',
      'Collect-a.list > TextOutput-a.input_value',
    ],
  );
  const { response } = await runPlan(plan, chatRequest('r', { outputs: { by: 'type', type: 'any' } }));
  expect(texts(response)).toEqual({ 'TextOutput-a': 'r|R,r' });
});

test('a vertex after a stopped branch does not run, even with another active input', async () => {
  const plan = planOf(
    [
      { type: 'ChatInput' },
      { type: 'Router' },
      { id: 'Join-left', type: 'Join' },
      { id: 'Join-mixed', type: 'Join' },
      { type: 'TextOutput' },
    ],
    [
      'ChatInput-a.message > Router-a.input_text',
      'Router-a.left > Join-left.first',
      'Join-left.joined > Join-mixed.first',
      'ChatInput-a.message > Join-mixed.second',
      'Router-a.right > TextOutput-a.input_value',
    ],
  );
  const { response } = await runPlan(plan, chatRequest('r', debug));
  expect(Object.keys(texts(response))).toEqual(['ChatInput-a', 'Router-a', 'TextOutput-a']);
});

test('two consecutive routers each stop their own branch', async () => {
  const plan = planOf(
    [
      { type: 'ChatInput' },
      { type: 'Router' },
      { id: 'Router-b', type: 'Router' },
      { id: 'TextOutput-1', type: 'TextOutput' },
      { id: 'TextOutput-2', type: 'TextOutput' },
      { id: 'TextOutput-3', type: 'TextOutput' },
    ],
    [
      'ChatInput-a.message > Router-a.input_text',
      'Router-a.left > Router-b.input_text',
      'Router-a.right > TextOutput-1.input_value',
      'Router-b.left > TextOutput-2.input_value',
      'Router-b.right > TextOutput-3.input_value',
    ],
  );
  const left = await runPlan(plan, chatRequest('l', { outputs: { by: 'type', type: 'any' } }));
  expect(Object.keys(texts(left.response))).toEqual(['TextOutput-2']);
  const right = await runPlan(plan, chatRequest('r', { outputs: { by: 'type', type: 'any' } }));
  expect(Object.keys(texts(right.response))).toEqual(['TextOutput-1']);
});

test('of several edges into one input the last one wins', async () => {
  const plan = planOf(
    [{ type: 'ChatInput' }, { type: 'Join', values: { first: 'later' } }, { type: 'TextOutput' }],
    [
      'ChatInput-a.message > Join-a.second',
      'ChatInput-a.message > TextOutput-a.input_value',
      'Join-a.joined > TextOutput-a.input_value',
    ],
  );
  const { response } = await runPlan(plan, chatRequest('x', { outputs: { by: 'type', type: 'any' } }));
  expect(texts(response)).toEqual({ 'TextOutput-a': 'later|x' });
});

test('an unused tool does not run', async () => {
  const plan = planOf(
    [{ type: 'Join' }, { id: 'Failing-a', type: 'Failing', node: { tool_mode: true } }],
    [],
  );
  const { response } = await runPlan(plan, chatRequest('', debug));
  expect(Object.keys(texts(response))).toEqual(['Join-a']);
});
