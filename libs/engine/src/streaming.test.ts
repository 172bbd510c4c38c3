import { setTimeout as pause } from 'node:timers/promises';
import { planOf } from './testing/test-flow';
import type { TestNode } from './testing/test-flow';
import { chatRequest, runPlan, texts } from './testing/test-run';

const streamed: TestNode = { type: 'Model', fields: { stream: { type: 'bool', value: false } } };
const nodes: readonly TestNode[] = [{ type: 'ChatInput' }, streamed, { type: 'ChatOutput' }];
const edges = ['ChatInput-a.message > Model-a.input_value', 'Model-a.text_output > ChatOutput-a.input_value'];

test('a streamed text is announced, emitted word by word, and then stored and emitted completely', async () => {
  const { response, stored, events } = await runPlan(
    planOf(nodes, edges),
    chatRequest('Hello big world', { stream: true }),
  );
  const id = stored[1]?.fields.id;
  expect(
    events.map(({ event, data }) => [event, event === 'token' ? data : data['text'], data['id']]),
  ).toEqual([
    ['add_message', 'Hello big world', stored[0]?.fields.id],
    ['add_message', 'Hello ', id],
    ['token', { chunk: 'Hello ', id }, id],
    ['token', { chunk: 'big ', id }, id],
    ['token', { chunk: 'world', id }, id],
    ['add_message', 'Hello big world', id],
  ]);
  expect(events[1]?.data).toMatchObject({
    properties: { state: 'partial' },
    data: { text: 'Hello ', properties: { state: 'complete' } },
  });
  expect(events[5]?.data).toMatchObject({ properties: { state: 'complete' } });
  expect(stored.map((message) => message.text)).toEqual(['Hello big world', 'Hello big world']);
  expect(texts(response)).toEqual({ 'ChatOutput-a': 'Hello big world' });
});

test('a run that keeps the fields streams only what its flow streams', async () => {
  const request = chatRequest('Hello big world', { stream: true, keepsStreamFields: true });
  const named = async (changes: object) =>
    (await runPlan(planOf(nodes, edges), { ...request, ...changes })).events.map(({ event }) => event);
  expect(await named({})).toEqual(['add_message', 'add_message']);
  expect(await named({ tweaks: { stream: true } })).toContain('token');
});

test('the end of a streaming vertex is observed after its last token', async () => {
  const seen: string[] = [];
  await runPlan(planOf(nodes, edges), chatRequest('Hello big world', { stream: true }), {
    emit: async ({ event }) => {
      await pause(1);
      seen.push(event);
    },
    watch: { ended: ({ id }) => void seen.push(id) },
  });
  expect(seen.slice(seen.indexOf('token'))).toEqual([
    'token',
    'token',
    'token',
    'Model-a',
    'add_message',
    'ChatOutput-a',
  ]);
});

test('a run without a streaming caller emits nothing and stores the same messages', async () => {
  const { events, stored } = await runPlan(planOf(nodes, edges), chatRequest('Hello big world'));
  expect(events).toEqual([]);
  expect(stored).toHaveLength(2);
});

test('the usage of a streamed text is in the complete message and in the results', async () => {
  const usage = { input_tokens: 1, output_tokens: 3, total_tokens: 4 };
  const { response, stored, events } = await runPlan(
    planOf(nodes, edges),
    chatRequest('Hello big world', { stream: true, outputs: { by: 'type', type: 'debug' } }),
  );
  expect(events[1]?.data).toMatchObject({ properties: { state: 'partial', usage: null } });
  expect(events.at(-1)?.data).toMatchObject({ properties: { state: 'complete', usage } });
  expect(stored[1]?.fields.properties.usage).toEqual(usage);
  expect(response.outputs[0]?.outputs.map((result) => result.token_usage)).toEqual([null, usage, null]);
  expect(response.outputs[0]?.outputs[2]?.results).toMatchObject({ message: { properties: { usage } } });
});

test('a slow reader slows the run', async () => {
  const seen: string[] = [];
  await runPlan(planOf(nodes, edges), chatRequest('a b', { stream: true }), {
    emit: async ({ event }) => {
      seen.push(`> ${event}`);
      await pause(5);
      seen.push(`< ${event}`);
    },
  });
  expect(seen.every((line, index) => line.startsWith(index % 2 === 0 ? '>' : '<'))).toBe(true);
});

test('a component that does not accept streams gets the complete text of the same stream', async () => {
  const plan = planOf(
    [...nodes, { type: 'Join' }, { type: 'TextOutput' }],
    [...edges, 'Model-a.text_output > Join-a.first', 'Join-a.joined > TextOutput-a.input_value'],
  );
  const { response, events } = await runPlan(
    plan,
    chatRequest('one two', { stream: true, outputs: { by: 'type', type: 'debug' } }),
  );
  expect(texts(response)).toMatchObject({
    'ChatOutput-a': 'one two',
    'TextOutput-a': 'one two|',
    'Model-a': 'one two',
  });
  expect(events.filter(({ event }) => event === 'token')).toHaveLength(2);
});

test('a stream that breaks fails its vertex after its earlier chunks were emitted', async () => {
  const events: unknown[] = [];
  await expect(
    runPlan(planOf(nodes, edges), chatRequest('fine break off', { stream: true }), {
      emit: (event) => void events.push([event.event, event.data['text' as never]]),
    }),
  ).rejects.toMatchObject({
    message: 'Error running graph: Error building Component Model: \n\nthe model broke',
  });
  expect(events).toEqual([
    ['add_message', 'fine break off'],
    ['add_message', 'fine '],
    ['token', undefined],
    ['error', 'the model broke\n'],
  ]);
});

test('the size of a streamed text is bounded', async () => {
  const limits = { maximumVertices: 10, maximumOutputBytes: 20 };
  await expect(
    runPlan(planOf(nodes, edges), chatRequest('word '.repeat(10), { stream: true }), { limits }),
  ).rejects.toMatchObject({ code: 'output_too_large' });
});

test('a component reads the messages that the run has stored so far', async () => {
  const plan = planOf(
    [{ type: 'ChatInput' }, { type: 'History' }, { type: 'TextOutput' }],
    ['ChatInput-a.message > History-a.after', 'History-a.text > TextOutput-a.input_value'],
  );
  const { response } = await runPlan(plan, chatRequest('said', { outputs: { by: 'type', type: 'any' } }));
  expect(texts(response)).toEqual({ 'TextOutput-a': 'said' });
});

test('a text that can be read only once reaches the caller and the store completely', async () => {
  const plan = planOf(
    [{ type: 'Sender' }, { type: 'ChatOutput' }],
    ['Sender-a.sent > ChatOutput-a.input_value'],
  );
  const { stored, events } = await runPlan(plan, chatRequest('', { stream: true }));
  const tokens = events.flatMap(({ event, data }) => (event === 'token' ? [data['chunk']] : []));
  expect(tokens).toEqual(['one ', 'two ', 'three']);
  expect(stored[0]?.text).toBe('one two three');
});
