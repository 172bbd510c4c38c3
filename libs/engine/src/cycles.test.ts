import { planOf } from './testing/test-flow';
import type { TestNode } from './testing/test-flow';
import { chatRequest, runPlan, testEnvironment, texts } from './testing/test-run';
import { execute } from './execute';

const any = { outputs: { by: 'type', type: 'any' } } as const;
const debug = { outputs: { by: 'type', type: 'debug' } } as const;

const growing: readonly TestNode[] = [
  { type: 'ChatInput' },
  { type: 'Join', values: { second: 'x' } },
  { type: 'Until', fields: { characters: { type: 'int', value: 6 } } },
  { type: 'TextOutput' },
];

test('an edge that leads back begins another round, until the other branch is taken', async () => {
  const plan = planOf(growing, [
    'ChatInput-a.message > Join-a.first',
    'Join-a.joined > Until-a.input_text',
    'Until-a.again > Join-a.first',
    'Until-a.enough > TextOutput-a.input_value',
  ]);
  const { response, reports } = await runPlan(plan, chatRequest('a', any));
  expect(texts(response)).toEqual({ 'TextOutput-a': 'a|x|x|x' });
  expect(
    reports.filter(({ vertexId, state }) => vertexId === 'Join-a' && state === 'succeeded'),
  ).toHaveLength(3);
});

test('the edge back can be anywhere in the file and lead to a separate input', async () => {
  const plan = planOf(growing.toReversed(), [
    'Until-a.enough > TextOutput-a.input_value',
    'Until-a.again > Join-a.second',
    'Join-a.joined > Until-a.input_text',
    'ChatInput-a.message > Join-a.first',
  ]);
  const { response } = await runPlan(plan, chatRequest('a', any));
  expect(texts(response)).toEqual({ 'TextOutput-a': 'a|a|a|x' });
});

test('a cycle can lead back to the chat input, whose message is then the returned value', async () => {
  const plan = planOf(growing, [
    'ChatInput-a.message > Join-a.first',
    'Join-a.joined > Until-a.input_text',
    'Until-a.again > ChatInput-a.input_value',
    'Until-a.enough > TextOutput-a.input_value',
  ]);
  const { response, stored } = await runPlan(plan, chatRequest('ignored', any));
  expect(texts(response)).toEqual({ 'TextOutput-a': '|x|x|x' });
  expect(stored.map((message) => message.text)).toEqual(['', '|x', '|x|x']);
});

test('a chat input with an edge to itself runs once, with the saved value of that field', async () => {
  const plan = planOf(
    [{ type: 'ChatInput' }, { type: 'TextOutput' }],
    ['ChatInput-a.message > ChatInput-a.sender_name', 'ChatInput-a.message > TextOutput-a.input_value'],
  );
  const { response, stored } = await runPlan(plan, chatRequest('a', any));
  expect(texts(response)).toEqual({ 'TextOutput-a': 'a' });
  expect(stored.map(({ text, fields }) => [text, fields.senderName])).toEqual([['a', 'User']]);
});

test('vertices after a cycle run again in each round, including branches that earlier rounds stopped', async () => {
  const plan = planOf(
    [...growing, { id: 'Join-back', type: 'Join', values: { second: 'y' } }, { type: 'Collect' }],
    [
      'ChatInput-a.message > Join-a.first',
      'Join-a.joined > Until-a.input_text',
      'Join-a.joined > Collect-a.texts',
      'Until-a.again > Join-back.first',
      'Join-back.joined > Join-a.first',
      'Until-a.enough > TextOutput-a.input_value',
      'Until-a.enough > Collect-a.texts',
    ],
  );
  const { response, reports } = await runPlan(plan, chatRequest('a', debug));
  expect(texts(response)).toMatchObject({ 'TextOutput-a': 'a|x|y|x', 'Collect-a': 'a|x|y|x,a|x|y|x' });
  expect(texts(response)).not.toHaveProperty('Join-back');
  expect(reports.filter(({ vertexId }) => vertexId === 'TextOutput-a').map(({ state }) => state)).toEqual([
    'stopped',
    'succeeded',
  ]);
});

test('a branch that a vertex outside of the cycle stopped stays stopped in each round', async () => {
  const plan = planOf(
    [...growing, { type: 'Router' }, { type: 'Collect' }],
    [
      'ChatInput-a.message > Router-a.input_text',
      'ChatInput-a.message > Join-a.first',
      'Router-a.right > Collect-a.texts',
      'Join-a.joined > Collect-a.texts',
      'Join-a.joined > Until-a.input_text',
      'Until-a.again > Join-a.first',
      'Until-a.enough > TextOutput-a.input_value',
    ],
  );
  const { response, reports } = await runPlan(plan, chatRequest('l', debug));
  expect(texts(response)).toMatchObject({ 'Join-a': 'l|x|x|x', 'TextOutput-a': 'l|x|x|x' });
  const ofCollect = reports.filter(({ vertexId }) => vertexId === 'Collect-a');
  expect(ofCollect.map(({ state }) => state)).toEqual(['stopped']);
});

test('the next round begins only after slow vertices of the current round have ended', async () => {
  const plan = planOf(
    [...growing, { type: 'Slow' }, { id: 'TextOutput-slow', type: 'TextOutput' }],
    [
      'ChatInput-a.message > Join-a.first',
      'Join-a.joined > Until-a.input_text',
      'Join-a.joined > Slow-a.input_value',
      'Slow-a.text > TextOutput-slow.input_value',
      'Until-a.again > Join-a.first',
      'Until-a.enough > TextOutput-a.input_value',
    ],
  );
  const { response } = await runPlan(plan, chatRequest('a', any));
  expect(texts(response)).toEqual({ 'TextOutput-a': 'a|x|x|x', 'TextOutput-slow': 'a|x|x|x' });
});

test('a cycle inside a cycle runs its own rounds in each round of the outer one', async () => {
  const plan = planOf(
    [
      { type: 'ChatInput' },
      { type: 'Join', values: { second: 'o' } },
      { id: 'Join-inner', type: 'Join', values: { second: 'i' } },
      { id: 'Until-inner', type: 'Until', fields: { characters: { type: 'int', value: 8 } } },
      { id: 'Until-outer', type: 'Until', fields: { characters: { type: 'int', value: 12 } } },
      { type: 'TextOutput' },
    ],
    [
      'ChatInput-a.message > Join-a.first',
      'Join-a.joined > Join-inner.first',
      'Join-inner.joined > Until-inner.input_text',
      'Until-inner.again > Join-inner.first',
      'Until-inner.enough > Until-outer.input_text',
      'Until-outer.again > Join-a.first',
      'Until-outer.enough > TextOutput-a.input_value',
    ],
  );
  const { response } = await runPlan(plan, chatRequest('a', any));
  expect(texts(response)).toEqual({ 'TextOutput-a': 'a|o|i|i|i|o|i' });
});

test('a cycle in the body of a loop runs separately for each item', async () => {
  const plan = planOf(
    [...growing, { type: 'Loop' }, { type: 'Table' }],
    [
      'ChatInput-a.message > Loop-a.words',
      'Loop-a.item > Join-a.first',
      'Join-a.joined > Until-a.input_text',
      'Until-a.again > Join-a.first',
      'Until-a.enough > Loop-a.item',
      'Loop-a.done > Table-a.table',
      'Table-a.text > TextOutput-a.input_value',
    ],
  );
  const { response } = await runPlan(plan, chatRequest('a long b', any));
  expect(texts(response)).toEqual({ 'TextOutput-a': 'a|x|x|x / long|x / b|x|x|x' });
});

test('rounds count towards the limit of executed vertices', async () => {
  const plan = planOf(
    [
      { type: 'ChatInput' },
      { type: 'Until', fields: { rounds: { type: 'int', value: 1_000 } } },
      { type: 'TextOutput' },
    ],
    [
      'ChatInput-a.message > Until-a.input_text',
      'Until-a.again > Until-a.input_text',
      'Until-a.enough > TextOutput-a.input_value',
    ],
  );
  const limits = { maximumVertices: 20, maximumOutputBytes: 1_000_000 };
  await expect(execute(plan, chatRequest('a', any), testEnvironment({ limits }))).rejects.toMatchObject({
    code: 'too_many_vertices',
  });
  const { response } = await runPlan(plan, chatRequest('abc', any));
  expect(texts(response)).toEqual({ 'TextOutput-a': 'abc' });
});

test('a cycle that no vertex can end is a deadlock', async () => {
  const plan = planOf(
    [{ type: 'ChatInput' }, { type: 'Join' }, { id: 'Join-b', type: 'Join' }, { type: 'TextOutput' }],
    [
      'ChatInput-a.message > Join-a.first',
      'Join-a.joined > Join-b.first',
      'Join-b.joined > Join-a.second',
      'Join-b.joined > TextOutput-a.input_value',
    ],
  );
  await expect(execute(plan, chatRequest('a', any), testEnvironment())).rejects.toMatchObject({
    code: 'deadlocked',
  });
});
