import type { RunEvent } from '@millrace/flow';
import { planOf } from './testing/test-flow';
import { chatRequest, runPlan } from './testing/test-run';
import type { BuiltVertex, VertexWatch } from './vertex-watch';

const chat = [{ type: 'ChatInput' }, { type: 'ChatOutput' }] as const;
const chatWire = 'ChatInput-a.message > ChatOutput-a.input_value';

/** Keeps, in order, what a watcher and a streaming caller are told. */
function listener() {
  const told: string[] = [];
  const built: BuiltVertex[] = [];
  const watch: VertexWatch = {
    begins: (id) => void told.push(`${id} begins`),
    ended: async (vertex) => {
      // Slower than any vertex: what follows waits for it.
      await new Promise((resolve) => setImmediate(resolve));
      told.push(`${vertex.id} ended`);
      built.push(vertex);
    },
  };
  return { told, built, watch, emit: (event: RunEvent) => void told.push(event.event) };
}

test('each vertex is told between what it says and the vertices that follow', async () => {
  const { told, built, watch, emit } = listener();
  await runPlan(planOf(chat, [chatWire]), chatRequest('hello', { stream: true }), { watch, emit });
  expect(told).toEqual([
    'ChatInput-a begins',
    'add_message',
    'ChatInput-a ended',
    'ChatOutput-a begins',
    'add_message',
    'ChatOutput-a ended',
  ]);
  expect(built[0]).toEqual({
    id: 'ChatInput-a',
    valid: true,
    params: null,
    data: {
      results: { message: expect.objectContaining({ text: 'hello' }) },
      outputs: { message: { message: 'hello', type: 'text' } },
      logs: { message: [] },
      messages: [expect.objectContaining({ message: 'hello', sender: 'User' })],
      duration: expect.stringMatching(/^\d+ ms$/),
    },
    artifacts: expect.objectContaining({ message: 'hello' }),
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    messages: [expect.objectContaining({ message: 'hello' })],
    inactivated_vertices: [],
    next_vertices_ids: ['ChatOutput-a'],
    top_level_vertices: [],
  });
});

test('a failed vertex is told with its reason before the error', async () => {
  const { told, built, watch, emit } = listener();
  const plan = planOf(
    [...chat, { type: 'Failing' }],
    ['ChatInput-a.message > Failing-a.input_value', 'Failing-a.text > ChatOutput-a.input_value'],
  );
  const request = chatRequest('x', { stream: true });
  await expect(runPlan(plan, request, { watch, emit })).rejects.toMatchObject({ code: 'component_failed' });
  expect(told.slice(-2)).toEqual(['Failing-a ended', 'error']);
  expect(built.at(-1)).toMatchObject({ id: 'Failing-a', valid: false, params: 'x is out of range.' });
});

test('a vertex whose text is still being made holds up nobody, and is told before the run ends', async () => {
  const { told, built, watch, emit } = listener();
  const plan = planOf(
    [...chat, { type: 'Model', fields: { stream: { type: 'bool', value: false } } }],
    ['ChatInput-a.message > Model-a.input_value', 'Model-a.text_output > ChatOutput-a.input_value'],
  );
  await runPlan(plan, chatRequest('a b c', { stream: true }), { watch, emit });
  expect(told.indexOf('token')).toBeLessThan(told.indexOf('Model-a ended'));
  expect(built.map(({ id }) => id).sort()).toEqual(['ChatInput-a', 'ChatOutput-a', 'Model-a']);
});

test('long texts are cut', async () => {
  const { built, watch, emit } = listener();
  await runPlan(planOf(chat, [chatWire]), chatRequest('x'.repeat(7_000)), { watch, emit });
  expect(built[0]?.artifacts).toMatchObject({ message: `${'x'.repeat(6_000)}...` });
});

test('a watcher that fails changes nothing for the run', async () => {
  const failures: unknown[] = [];
  const { response } = await runPlan(planOf(chat, [chatWire]), chatRequest('x'), {
    watch: { ended: () => Promise.reject(new Error('no ears')) },
    onSideFailure: (error) => void failures.push(error),
  });
  expect(response.outputs[0]?.outputs).toHaveLength(1);
  expect(failures).toHaveLength(2);
});
