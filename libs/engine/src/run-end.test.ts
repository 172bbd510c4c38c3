import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { planOf } from './testing/test-flow';
import type { TestNode } from './testing/test-flow';
import { chatRequest, runPlan, testEnvironment } from './testing/test-run';
import type { RunMessages } from './run/run-environment';
import { execute } from './execute';

function chainWith(node: TestNode): ReturnType<typeof planOf> {
  const id = `${node.type}-a`;
  return planOf(
    [{ type: 'ChatInput' }, node, { type: 'ChatOutput' }],
    [`ChatInput-a.message > ${id}.input_value`, `${id}.text > ChatOutput-a.input_value`],
  );
}

test('a failing component ends the run with its error text and stores an error message in the session', async () => {
  const environment = testEnvironment();
  await expect(
    execute(
      chainWith({ type: 'Failing' }),
      chatRequest('Index 5', { stream: true, vertexEvents: true }),
      environment,
    ),
  ).rejects.toMatchObject({
    code: 'component_failed',
    message: 'Error running graph: Error building Component Select Data: \n\nIndex 5 is out of range.',
    vertex: { id: 'Failing-a', displayName: 'Select Data', type: 'Failing' },
    permanent: true,
  });
  expect(environment.stored.map(({ fields }) => [fields.category, fields.sender, fields.text])).toEqual([
    ['message', 'User', 'Index 5'],
    ['error', 'Select Data', 'Index 5 is out of range.\n'],
  ]);
  expect(environment.events[1]).toMatchObject({
    event: 'error',
    data: {
      text: 'Index 5 is out of range.\n',
      context_id: null,
      category: 'error',
      properties: { text_color: 'red', icon: 'error', source: { id: 'Failing-a', source: 'Select Data' } },
      content_blocks: [
        {
          type: 'group',
          id: null,
          duration: null,
          header: {},
          title: 'Error',
          contents: [
            {
              id: null,
              contents: [],
              component: 'Select Data',
              reason: '**ValueError**\n - **Details: Index 5 is out of range.**\n',
              traceback: expect.any(String),
            },
          ],
        },
      ],
    },
  });
});

test('a caller who does not follow the vertices gets the blocks of an error as they are stored', async () => {
  const environment = testEnvironment();
  const request = chatRequest('Index 5', { stream: true });
  await expect(execute(chainWith({ type: 'Failing' }), request, environment)).rejects.toThrow('out of range');
  const { data } = environment.events[1] ?? {};
  expect(data).toMatchObject({ content_blocks: environment.stored[1]?.fields.contentBlocks });
});

test.each([
  ['1.13', { code: null }],
  ['1.11', {}],
] as const)('a stored error has the members of Langflow %s', async (langflow, members) => {
  const environment = testEnvironment({ langflow });
  const ended = execute(chainWith({ type: 'Failing' }), chatRequest('Index 5'), environment);
  await expect(ended).rejects.toThrow('out of range');
  const [block] = environment.stored[1]?.fields.contentBlocks ?? [];
  const content = {
    type: 'error',
    duration: null,
    header: {},
    component: 'Select Data',
    field: null,
    reason: '**ValueError**\n - **Details: Index 5 is out of range.**\n',
    solution: null,
    ...members,
    traceback: expect.any(String),
  };
  expect(block).toEqual({ title: 'Error', contents: [content], allow_markdown: true, media_url: null });
});

test('the error message of a failed run is emitted even if it cannot be stored, and the failure is reported', async () => {
  const reported: unknown[] = [];
  const environment = testEnvironment({
    messages: {
      store: ({ fields }) =>
        fields.category === 'error'
          ? Promise.reject(new Error('the store is unavailable'))
          : Promise.resolve(),
      read: () => Promise.resolve([]),
    },
    onSideFailure: (error) => void reported.push(error),
  });
  await expect(
    execute(chainWith({ type: 'Failing' }), chatRequest('Index 5', { stream: true }), environment),
  ).rejects.toMatchObject({ code: 'component_failed' });
  expect(environment.events.map(({ event }) => event)).toEqual(['add_message', 'error']);
  expect(reported).toMatchObject([{ code: 'internal', cause: { message: 'the store is unavailable' } }]);
});

test('the first failure stops everything else', async () => {
  const order: string[] = [];
  const plan = planOf(
    [
      { type: 'ChatInput' },
      { type: 'Slow', fields: { milliseconds: { type: 'int', value: 3_600_000 } } },
      { type: 'Failing' },
    ],
    ['ChatInput-a.message > Slow-a.input_value', 'ChatInput-a.message > Failing-a.input_value'],
  );
  await expect(
    runPlan(plan, chatRequest('x'), {
      onVertex: ({ vertexId, state }) => void order.push(`${vertexId} ${state}`),
    }),
  ).rejects.toMatchObject({ code: 'component_failed' });
  expect(order).toEqual(['ChatInput-a succeeded', 'Failing-a failed']);
});

test('a vertex that ends while the failure of another is stored has no result', async () => {
  const order: string[] = [];
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const plan = planOf(
    [{ type: 'ChatInput' }, { type: 'ChatOutput' }, { type: 'Failing' }],
    ['ChatInput-a.message > ChatOutput-a.input_value', 'ChatInput-a.message > Failing-a.input_value'],
  );
  const store: RunMessages['store'] = async ({ fields: { category, sender } }) => {
    order.push(`${category} of ${sender}`);
    if (category === 'error') {
      release();
      // The other vertex ends before the failure is stored.
      await nextTurn();
    } else if (sender === 'Machine') await held;
  };
  await expect(
    runPlan(plan, chatRequest('x'), {
      messages: { store, read: () => Promise.resolve([]) },
      onVertex: ({ vertexId, state }) => void order.push(`${vertexId} ${state}`),
    }),
  ).rejects.toMatchObject({ code: 'component_failed' });
  expect(order).toEqual([
    'message of User',
    'ChatInput-a succeeded',
    'message of Machine',
    'Failing-a failed',
    'error of Select Data',
  ]);
});

test('a deadline ends the run even when a component ignores the signal', async () => {
  await expect(
    runPlan(chainWith({ type: 'Stuck' }), chatRequest('x'), { deadline: Date.now() + 50 }),
  ).rejects.toMatchObject({ code: 'deadline_exceeded' });
  await expect(
    runPlan(chainWith({ type: 'Slow' }), chatRequest('x'), { deadline: Date.now() - 1 }),
  ).rejects.toMatchObject({ code: 'deadline_exceeded' });
});

test('a cancelled run ends immediately, also if it was cancelled before it began', async () => {
  const controller = new AbortController();
  const run = runPlan(chainWith({ type: 'Stuck' }), chatRequest('x'), { signal: controller.signal });
  setTimeout(() => controller.abort(), 20);
  await expect(run).rejects.toMatchObject({ code: 'cancelled' });
  await expect(
    runPlan(chainWith({ type: 'Slow' }), chatRequest('x'), { signal: AbortSignal.abort() }),
  ).rejects.toMatchObject({ code: 'cancelled' });
});

test('an unresponsive store does not delay the run beyond its deadline', async () => {
  await expect(
    runPlan(chainWith({ type: 'Slow' }), chatRequest('x'), {
      deadline: Date.now() + 50,
      messages: { store: () => new Promise(() => undefined), read: async () => [] },
    }),
  ).rejects.toMatchObject({ code: 'deadline_exceeded' });
});

test('a failure outside of the flow is reported without details and is not permanent', async () => {
  const broken = async (): Promise<never> => {
    throw new Error('connect ECONNREFUSED 10.0.0.7:6379');
  };
  await expect(
    runPlan(chainWith({ type: 'Slow' }), chatRequest('x'), { messages: { store: broken, read: broken } }),
  ).rejects.toMatchObject({
    code: 'internal',
    message: 'The run could not store a message.',
    permanent: false,
  });
  const loading = planOf([{ type: 'Join', fields: { first: { value: 'NAME', load_from_db: true } } }], []);
  await expect(runPlan(loading, chatRequest('x'), { variable: broken })).rejects.toMatchObject({
    code: 'internal',
    message: 'The run could not look up the variable "NAME".',
    permanent: false,
  });
});

test('nothing is stored or emitted after a run has ended, not even a partly streamed text', async () => {
  const environment = testEnvironment();
  let resume: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (resume = resolve));
  const controller = new AbortController();
  const plan = planOf(
    [
      { type: 'ChatInput' },
      { type: 'Model', fields: { stream: { type: 'bool', value: true } } },
      { type: 'ChatOutput' },
    ],
    ['ChatInput-a.message > Model-a.input_value', 'Model-a.text_output > ChatOutput-a.input_value'],
  );
  const run = execute(plan, chatRequest('one two three', { stream: true }), {
    ...environment,
    signal: controller.signal,
    emit: async (event) => {
      environment.events.push(event);
      if (event.event !== 'token') return;
      controller.abort();
      await held;
    },
  });
  await expect(run).rejects.toMatchObject({ code: 'cancelled' });
  resume();
  await pause(20);
  expect(environment.events.map(({ event }) => event)).toEqual(['add_message', 'add_message', 'token']);
  expect(environment.stored).toHaveLength(1);
});

describe('events that vertices emit without waiting for the caller', () => {
  const plan = planOf(
    [{ type: 'ChatInput' }, { type: 'Join' }, { type: 'ChatOutput' }],
    ['ChatInput-a.message > Join-a.first', 'Join-a.joined > ChatOutput-a.input_value'],
  );
  const request = chatRequest('x', { stream: true });

  test('are accepted before the run ends', async () => {
    const accepted: string[] = [];
    await runPlan(plan, request, {
      emit: async ({ event }) => {
        if (event === 'log') await pause(50);
        accepted.push(event);
      },
    });
    expect(accepted.at(-1)).toBe('log');
  });

  test('that fail are reported, and the run succeeds', async () => {
    const reported: unknown[] = [];
    const refusal = new Error('the caller has disconnected');
    const run = await runPlan(plan, request, {
      emit: ({ event }) => (event === 'log' ? Promise.reject(refusal) : undefined),
      onSideFailure: (error) => void reported.push(error),
    });
    expect(run.stored.map(({ fields }) => fields.text)).toEqual(['x', 'x|']);
    expect(reported).toEqual([refusal]);
  });
});
