import type { HumanRequest } from '@millrace/flow';
import { callTools, streamText } from '../integrations/openai/openai-server.fixture';
import { approvedCalculator, durableRun } from '../testing/durable-run.fixture';
import { edge, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { modelEdge, modelNode, openCrewSuite } from './crew.fixture';

const { server } = openCrewSuite('');
const tool = approvedCalculator('approve', 'edit', 'reject', 'respond');
const wanted = callTools(['evaluate_expression', { expression: '6*7' }]);
const askedAbout = ({ action_requests: calls = [] }: HumanRequest) =>
  calls.map(({ name, args }) => [name, args['expression']]);
const toolResults = () =>
  server.requests.map(
    ({ body }) =>
      (body.messages as { role: string; content: string }[]).findLast(({ role }) => role === 'tool')?.content,
  );

const durable = (nodes: readonly unknown[], edges: readonly unknown[], show: string) =>
  durableRun((options) =>
    runFlow(flow([modelNode, tool, ...nodes], edges), {
      show,
      variables: { OPENAI_BASE_URL: server.url },
      ...options,
    }),
  );

test('members of a sequential crew ask before they call a tool, each for its own task', async () => {
  const member = (id: string, task_description: string) =>
    node(id, 'SequentialTaskAgentComponent', { role: 'Miller', task_description });
  const run = durable(
    [
      member('TaskAgent-a', 'Count.'),
      member('TaskAgent-b', 'Count again.'),
      node('SequentialCrewComponent-c', 'SequentialCrewComponent'),
    ],
    [
      ...['TaskAgent-a', 'TaskAgent-b'].flatMap((id) => [
        modelEdge(id),
        edge('CalculatorComponent-t', 'component_as_tool', id, 'tools'),
      ]),
      edge('TaskAgent-a', 'task_output', 'TaskAgent-b', 'previous_task'),
      edge('TaskAgent-b', 'task_output', 'SequentialCrewComponent-c', 'tasks'),
    ],
    'SequentialCrewComponent-c',
  );
  server.answers.push(wanted, streamText('42 mills.'), wanted, streamText('Still 42.'));
  const first = await run.asks();
  expect(first && askedAbout(first)).toEqual([['evaluate_expression', '6*7']]);
  expect(server.requests).toHaveLength(1);
  run.answer(first, 'approve');
  const second = await run.asks();
  // The second member wants the same call; the first decision is not for it.
  expect(second?.request_id).not.toBe(first?.request_id);
  const { text } = await run.decide('reject', { message: 'no' });
  expect(text).toBe('Still 42.');
  expect(server.requests).toHaveLength(4);
  expect(toolResults()).toEqual([
    undefined,
    '{"result": "42"}',
    undefined,
    'User rejected the tool call for `evaluate_expression` with reason: no',
  ]);
});

test('members with equal work of one manager ask one question each', async () => {
  const crew = 'HierarchicalCrewComponent-c';
  const run = durable(
    [
      node(crew, 'HierarchicalCrewComponent'),
      node('Task-t', 'HierarchicalTaskComponent', { task_description: 'Count twice.' }),
      node('CrewAIAgentComponent-r', 'CrewAIAgentComponent', { role: 'Miller' }),
    ],
    [
      edge('Task-t', 'task_output', crew, 'tasks'),
      edge('CrewAIAgentComponent-r', 'output', crew, 'agents'),
      modelEdge('CrewAIAgentComponent-r'),
      modelEdge(crew, 'manager_llm'),
      edge('CalculatorComponent-t', 'component_as_tool', 'CrewAIAgentComponent-r', 'tools'),
    ],
    crew,
  );
  const delegation = ['delegate_to_miller', { task: 'Count.' }] as const;
  server.answers.push(callTools(delegation, delegation), wanted, wanted);
  const requests = await run.asksAll();
  expect(requests.map(askedAbout)).toEqual([
    [['evaluate_expression', '6*7']],
    [['evaluate_expression', '6*7']],
  ]);
  expect(new Set(requests.map(({ request_id: id }) => id)).size).toBe(2);
  expect(server.requests).toHaveLength(3);
  run.answer(requests[0], 'respond', { message: 'one' });
  server.answers.push(streamText('First.'));
  expect((await run.asksAll()).map(({ request_id: id }) => id)).toEqual([requests[1]?.request_id]);
  server.answers.push(streamText('Second.'), streamText('Both.'));
  const { text } = await run.decide('respond', { message: 'two' });
  expect(text).toBe('Both.');
  expect(toolResults().slice(3)).toEqual(['one', 'two', expect.any(String)]);
  expect(server.requests).toHaveLength(6);
});
