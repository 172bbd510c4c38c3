import type { RunEvent } from '@millrace/flow';
import { planOf } from '../testing/test-flow';
import { chatRequest, runPlan } from '../testing/test-run';
import type { BuildDetails, BuiltVertex, VertexObserver } from './vertex-observer';

const chat = [{ type: 'ChatInput' }, { type: 'ChatOutput' }] as const;
const chatEdge = 'ChatInput-a.message > ChatOutput-a.input_value';

/** Records, in order, the notifications of an observer and of a streaming caller. */
function recordingObserver() {
  const notifications: string[] = [];
  const built: BuiltVertex[] = [];
  const executions: BuildDetails[] = [];
  const watch: VertexObserver = {
    begins: (id) => void notifications.push(`${id} begins`),
    ended: async (vertex, execution) => {
      // Slower than any vertex, so that followers must wait for the notification.
      await new Promise((resolve) => setImmediate(resolve));
      notifications.push(`${vertex.id} ended`);
      built.push(vertex);
      executions.push(execution);
    },
  };
  return {
    notifications,
    built,
    executions,
    watch,
    emit: (event: RunEvent) => void notifications.push(event.event),
  };
}

test('the observer is notified of a vertex after its messages and before its followers start', async () => {
  const { notifications, built, executions, watch, emit } = recordingObserver();
  await runPlan(planOf(chat, [chatEdge]), chatRequest('hello', { stream: true }), { watch, emit });
  expect(notifications).toEqual([
    'ChatInput-a begins',
    'add_message',
    'ChatInput-a ended',
    'ChatOutput-a begins',
    'add_message',
    'ChatOutput-a ended',
  ]);
  expect(executions[0]).toEqual({ seconds: expect.any(Number), reused: false, usage: null });
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

test('the end of a loop names the vertices behind its items as inactive', async () => {
  const { built, watch, emit } = recordingObserver();
  const plan = planOf(
    [
      { type: 'ChatInput' },
      { type: 'Loop' },
      { type: 'Table' },
      { type: 'TextOutput' },
      { type: 'Join' },
      { id: 'TextOutput-beside', type: 'TextOutput' },
    ],
    [
      'ChatInput-a.message > Loop-a.words',
      'Loop-a.done > Table-a.table',
      'Table-a.text > TextOutput-a.input_value',
      'Loop-a.item > Join-a.first',
      'Join-a.joined > Loop-a.item',
      'Join-a.joined > TextOutput-beside.input_value',
    ],
  );
  await runPlan(plan, chatRequest('a b', { stream: true }), { watch, emit });
  const inactive = built.map(({ id, inactivated_vertices }) => [id, [...inactivated_vertices].sort()]);
  expect(Object.fromEntries(inactive)).toMatchObject({
    'Loop-a': ['Join-a', 'TextOutput-beside'],
    'Table-a': [],
  });
});

test('the observer is notified of a failed vertex, with the reason, after the error event', async () => {
  const { notifications, built, watch, emit } = recordingObserver();
  const plan = planOf(
    [...chat, { type: 'Failing' }],
    ['ChatInput-a.message > Failing-a.input_value', 'Failing-a.text > ChatOutput-a.input_value'],
  );
  const request = chatRequest('x', { stream: true });
  await expect(runPlan(plan, request, { watch, emit })).rejects.toMatchObject({ code: 'component_failed' });
  expect(notifications.slice(-2)).toEqual(['error', 'Failing-a ended']);
  const params = 'Error building Component Select Data: \n\nx is out of range.';
  const stackTrace = 'ValueError: x is out of range.';
  expect(built.at(-1)).toMatchObject({
    id: 'Failing-a',
    valid: false,
    params,
    data: { outputs: { text: { message: { errorMessage: params, stackTrace }, type: 'error' } } },
  });
});

test('a vertex with a streaming text does not delay its followers, and is notified before the run ends', async () => {
  const { notifications, built, watch, emit } = recordingObserver();
  const plan = planOf(
    [...chat, { type: 'Model', fields: { stream: { type: 'bool', value: false } } }],
    ['ChatInput-a.message > Model-a.input_value', 'Model-a.text_output > ChatOutput-a.input_value'],
  );
  await runPlan(plan, chatRequest('a b c', { stream: true }), { watch, emit });
  expect(notifications.indexOf('token')).toBeLessThan(notifications.indexOf('Model-a ended'));
  expect(built.map(({ id }) => id).sort()).toEqual(['ChatInput-a', 'ChatOutput-a', 'Model-a']);
});

test('long texts are truncated', async () => {
  const { built, watch, emit } = recordingObserver();
  await runPlan(planOf(chat, [chatEdge]), chatRequest('x'.repeat(7_000)), { watch, emit });
  expect(built[0]?.artifacts).toMatchObject({ message: `${'x'.repeat(6_000)}...` });
});

test('a failing observer does not affect the run', async () => {
  const failures: unknown[] = [];
  const { response } = await runPlan(planOf(chat, [chatEdge]), chatRequest('x'), {
    watch: { ended: () => Promise.reject(new Error('observer failed')) },
    onSideFailure: (error) => void failures.push(error),
  });
  expect(response.outputs[0]?.outputs).toHaveLength(1);
  expect(failures).toHaveLength(2);
});
