import { FrozenResultCache } from './vertices/frozen-result-cache';
import { planOf } from './testing/test-flow';
import type { TestNode } from './testing/test-flow';
import { chatRequest, runPlan, texts } from './testing/test-run';
import type { TestRun } from './testing/test-run';
import type { FrozenResult, RunEnvironment } from './run/run-environment';

const any = { outputs: { by: 'type', type: 'any' } } as const;
const frozen = { frozen: true };
const cache = (maximumBytes = 1_000_000): FrozenResultCache => new FrozenResultCache({ maximumBytes });

/** A frozen vertex between a chat input and a text output. */
function flowOf(node: TestNode, output = 'joined', input = 'first'): ReturnType<typeof planOf> {
  const id = node.id ?? `${node.type}-a`;
  return planOf(
    [{ type: 'ChatInput' }, { ...node, node: frozen }, { type: 'TextOutput' }],
    [`ChatInput-a.message > ${id}.${input}`, `${id}.${output} > TextOutput-a.input_value`],
  );
}

/** Returns whether a frozen vertex reused a result, according to a debug response. */
const isReused = ({ response }: TestRun, id: string): boolean | undefined =>
  response.outputs[0]?.outputs.find((result) => result.component_id === id)?.used_frozen_result;

const debug = { outputs: { by: 'type', type: 'debug' } } as const;

async function twice(
  plan: ReturnType<typeof planOf>,
  id: string,
  changes: Partial<RunEnvironment>,
  inputs: readonly [string, string] = ['same', 'same'],
): Promise<readonly (boolean | undefined)[]> {
  const first = await runPlan(plan, chatRequest(inputs[0], debug), changes);
  const second = await runPlan(plan, chatRequest(inputs[1], debug), changes);
  return [isReused(first, id), isReused(second, id)];
}

test('a frozen vertex reuses its result for the same values', async () => {
  const plan = flowOf({ type: 'Join', values: { second: 'x' } });
  const frozenResults = cache();
  expect(await twice(plan, 'Join-a', { frozenResults })).toEqual([false, true]);
  const { response } = await runPlan(plan, chatRequest('same', any), { frozenResults });
  expect(texts(response)).toEqual({ 'TextOutput-a': 'same|x' });
});

test('a frozen vertex runs for other values', async () => {
  const plan = flowOf({ type: 'Join' });
  const frozenResults = cache();
  for (const word of ['one', 'two', 'one']) {
    const { response } = await runPlan(plan, chatRequest(word, any), { frozenResults });
    expect(texts(response)).toEqual({ 'TextOutput-a': `${word}|` });
  }
  expect(await twice(plan, 'Join-a', { frozenResults: cache() }, ['one', 'two'])).toEqual([false, false]);
});

test('a field that the component does not declare is part of the values', async () => {
  const frozenResults = cache();
  for (const extra of ['p', 'q']) {
    const plan = flowOf({ type: 'Join', fields: { extra: { type: 'str', value: extra } } });
    const { response } = await runPlan(plan, chatRequest('w', any), { frozenResults });
    expect(texts(response)).toEqual({ 'TextOutput-a': `w||${extra}` });
  }
});

test('other flows, users and vertices do not share a result', async () => {
  const frozenResults = cache();
  const plan = flowOf({ type: 'Join' });
  const run = async (changed: typeof plan, userId = 'user-1'): Promise<boolean | undefined> =>
    isReused(await runPlan(changed, chatRequest('same', debug), { frozenResults, userId }), 'Join-a');
  expect(await run(plan)).toBe(false);
  expect(await run({ ...plan, flowId: '33333333-3333-4333-8333-333333333333' })).toBe(false);
  expect(await run(plan, 'user-2')).toBe(false);
  expect(await run(plan)).toBe(true);
  const other = await runPlan(flowOf({ id: 'Join-b', type: 'Join' }), chatRequest('same', debug), {
    frozenResults,
  });
  expect(isReused(other, 'Join-b')).toBe(false);
});

test('a new version of the flow reuses results of unchanged vertices', async () => {
  const frozenResults = cache();
  const plan = flowOf({ type: 'Join' });
  await runPlan(plan, chatRequest('same', debug), { frozenResults });
  expect(
    isReused(await runPlan({ ...plan, version: 2 }, chatRequest('same', debug), { frozenResults }), 'Join-a'),
  ).toBe(true);
});

test('a streamed text is cached when it is complete', async () => {
  const frozenResults = cache();
  const plan = planOf(
    [
      { type: 'ChatInput' },
      { type: 'Model', fields: { stream: { type: 'bool', value: false } }, node: frozen },
      { type: 'ChatOutput' },
    ],
    ['ChatInput-a.message > Model-a.input_value', 'Model-a.text_output > ChatOutput-a.input_value'],
  );
  const request = chatRequest('Hello big world', { stream: true, ...debug });
  const first = await runPlan(plan, request, { frozenResults });
  const second = await runPlan(plan, request, { frozenResults });
  expect([isReused(first, 'Model-a'), isReused(second, 'Model-a')]).toEqual([false, true]);
  expect(texts(second.response)).toMatchObject({ 'ChatOutput-a': 'Hello big world' });
  expect(first.events.filter(({ event }) => event === 'token')).toHaveLength(3);
  expect(second.events.filter(({ event }) => event === 'token')).toHaveLength(0);
});

test('a frozen router stops the same branch again', async () => {
  const frozenResults = cache();
  const plan = planOf(
    [
      { type: 'ChatInput' },
      { type: 'Router', node: frozen },
      { id: 'TextOutput-left', type: 'TextOutput' },
      { id: 'TextOutput-right', type: 'TextOutput' },
    ],
    [
      'ChatInput-a.message > Router-a.input_text',
      'Router-a.left > TextOutput-left.input_value',
      'Router-a.right > TextOutput-right.input_value',
    ],
  );
  for (let round = 0; round < 2; round += 1) {
    const { response } = await runPlan(plan, chatRequest('left', any), { frozenResults });
    expect(texts(response)).toEqual({ 'TextOutput-left': 'left' });
  }
});

test('a failure is not cached, and a loop always runs', async () => {
  const frozenResults = cache();
  const failing = flowOf({ type: 'Failing' }, 'text', 'input_value');
  for (let round = 0; round < 2; round += 1) {
    await expect(runPlan(failing, chatRequest('x'), { frozenResults })).rejects.toMatchObject({
      code: 'component_failed',
    });
  }
  const looping = planOf(
    [{ type: 'ChatInput' }, { type: 'Loop', node: frozen }, { type: 'Join' }, { type: 'Table' }],
    [
      'ChatInput-a.message > Loop-a.words',
      'Loop-a.item > Join-a.first',
      'Join-a.joined > Loop-a.item',
      'Loop-a.done > Table-a.table',
    ],
  );
  expect(await twice(looping, 'Loop-a', { frozenResults })).toEqual([false, false]);
});

test('the cache is bounded: the least recently used result is evicted first', async () => {
  const frozenResults = cache(2_000);
  const plan = flowOf({ type: 'Join' });
  const reused = async (word: string): Promise<boolean | undefined> =>
    isReused(await runPlan(plan, chatRequest(word, debug), { frozenResults }), 'Join-a');
  expect(await reused('one')).toBe(false);
  expect(await reused('one')).toBe(true);
  for (const word of ['two', 'three', 'four', 'x'.repeat(5_000)]) expect(await reused(word)).toBe(false);
  expect(await reused('one')).toBe(false);
  expect(await reused('x'.repeat(5_000))).toBe(false);
});

test('without a cache a frozen vertex runs like any other', async () => {
  expect(await twice(flowOf({ type: 'Join' }), 'Join-a', {})).toEqual([false, false]);
});

test('results are kept up to a size, of which each takes 500 bytes besides its content', () => {
  const kept = cache(2_000);
  const result = { outputs: {} } as unknown as FrozenResult;
  const has = (keys: string) => [...keys].map((key) => kept.get(key) !== undefined);
  for (const key of 'abcd') kept.set(key, result, 0);
  expect(has('abcd')).toEqual([true, true, true, true]);
  kept.get('a');
  kept.set('e', result, 500);
  expect(has('abcde')).toEqual([true, false, false, true, true]);
});
