import { toolNode } from '../testing/tool-node.fixture';
import { edge, failureOf, node } from '../testing/flow-under-test.fixture';
import { callTools, streamText } from '../integrations/openai/openai-server.fixture';
import { modelEdge, modelNode, openCrewSuite } from './crew.fixture';

const suite = openCrewSuite('SequentialCrewComponent-c');
const { server } = suite;
const crew = node('SequentialCrewComponent-c', 'SequentialCrewComponent');

const run = (nodes: readonly unknown[], edges: readonly unknown[]) => suite.run([...nodes, crew], edges);

test('runs tasks in order, with tools and the results of earlier tasks', async () => {
  const first = node('TaskAgent-a', 'SequentialTaskAgentComponent', {
    role: 'Researcher',
    goal: 'Find facts.',
    backstory: 'You like facts.',
    task_description: 'Research mills.',
    expected_output: 'Bullet points.',
  });
  const second = node('TaskAgent-b', 'SequentialTaskAgentComponent', {
    role: 'Writer',
    task_description: 'Write about mills.',
  });
  server.answers.push(
    callTools(['evaluate_expression', { expression: '6*7' }]),
    streamText('There are 42 mills.'),
    streamText('A story of 42 mills.'),
  );
  const { text } = await run(
    [modelNode, first, second, toolNode('Calc-t', 'CalculatorComponent')],
    [
      modelEdge('TaskAgent-a'),
      modelEdge('TaskAgent-b'),
      edge('Calc-t', 'component_as_tool', 'TaskAgent-a', 'tools'),
      edge('TaskAgent-a', 'task_output', 'TaskAgent-b', 'previous_task'),
      edge('TaskAgent-b', 'task_output', 'SequentialCrewComponent-c', 'tasks'),
    ],
  );
  expect(text).toBe('A story of 42 mills.');
  const [, secondMessages, lastMessages] = server.requests.map(({ body }) => body.messages);
  expect(secondMessages?.[0]?.content).toBe(
    'You are Researcher.\nYou like facts.\nYour goal is: Find facts.',
  );
  expect(secondMessages?.at(-1)).toMatchObject({ role: 'tool', content: '{"result": "42"}' });
  expect(lastMessages?.[1]?.content).toContain('Your task: Write about mills.');
  expect(lastMessages?.[1]?.content).toContain('Results of earlier tasks:\nThere are 42 mills.');
});

test('accepts tasks whose member is a separate node', async () => {
  server.answers.push(streamText('Done.'));
  const { text } = await run(
    [
      modelNode,
      node('CrewAIAgentComponent-a', 'CrewAIAgentComponent', { role: 'Miller' }),
      node('Task-t', 'SequentialTaskComponent', { task_description: 'Grind.' }),
    ],
    [
      modelEdge('CrewAIAgentComponent-a'),
      edge('CrewAIAgentComponent-a', 'output', 'Task-t', 'agent'),
      edge('Task-t', 'task_output', 'SequentialCrewComponent-c', 'tasks'),
    ],
  );
  expect(text).toBe('Done.');
  expect(server.requests[0]?.body.messages[0]).toEqual({ role: 'system', content: 'You are Miller.' });
});

// Without a model node: one that is not connected runs by itself, and its error would race with that of the crew.
test('reports missing tasks and models', async () => {
  expect(await failureOf(run([], []))).toContain('A crew needs at least one task.');
  const task = node('TaskAgent-a', 'SequentialTaskAgentComponent', { task_description: 'Rest.' });
  const edges = [edge('TaskAgent-a', 'task_output', 'SequentialCrewComponent-c', 'tasks')];
  expect(await failureOf(run([task], edges))).toContain('A language model must be connected to the task.');
});
