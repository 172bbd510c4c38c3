import { toolNode } from '../agents/tool-node.fixture';
import { failureOf, flow, node, runFlow, wire } from '../flow-under-test.fixture';
import { callTools, say, startModelServerUnderTest } from '../language-models/model-server.fixture';
import type { ModelServerUnderTest } from '../language-models/model-server.fixture';
import { crewVariables, modelNode, modelWire } from './crew.fixture';

let server: ModelServerUnderTest;
beforeEach(async () => {
  server = await startModelServerUnderTest();
});
afterEach(() => server.close());

const run = (nodes: readonly unknown[], edges: readonly unknown[]) =>
  runFlow(flow([modelNode, ...nodes, node('SequentialCrewComponent-c', 'SequentialCrewComponent')], edges), {
    show: 'SequentialCrewComponent-c',
    variables: crewVariables(server),
  });

test('does one task after the other, with tools and what was found before', async () => {
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
    say('There are 42 mills.'),
    say('A story of 42 mills.'),
  );
  const { text } = await run(
    [first, second, toolNode('Calc-t', 'CalculatorComponent')],
    [
      modelWire('TaskAgent-a'),
      modelWire('TaskAgent-b'),
      wire('Calc-t', 'component_as_tool', 'TaskAgent-a', 'tools'),
      wire('TaskAgent-a', 'task_output', 'TaskAgent-b', 'previous_task'),
      wire('TaskAgent-b', 'task_output', 'SequentialCrewComponent-c', 'tasks'),
    ],
  );
  expect(text).toBe('A story of 42 mills.');
  const [, heard, last] = server.asked.map(({ body }) => body.messages);
  expect(heard?.[0]?.content).toBe('You are Researcher.\nYou like facts.\nYour goal is: Find facts.');
  expect(heard?.at(-1)).toMatchObject({ role: 'tool', content: '{"result":"42"}' });
  expect(last?.[1]?.content).toContain('Your task: Write about mills.');
  expect(last?.[1]?.content).toContain('What was found before:\nThere are 42 mills.');
});

test('takes tasks whose member is described apart', async () => {
  server.answers.push(say('Done.'));
  const { text } = await run(
    [
      node('CrewAIAgentComponent-a', 'CrewAIAgentComponent', { role: 'Miller' }),
      node('Task-t', 'SequentialTaskComponent', { task_description: 'Grind.' }),
    ],
    [
      modelWire('CrewAIAgentComponent-a'),
      wire('CrewAIAgentComponent-a', 'output', 'Task-t', 'agent'),
      wire('Task-t', 'task_output', 'SequentialCrewComponent-c', 'tasks'),
    ],
  );
  expect(text).toBe('Done.');
  expect(server.asked[0]?.body.messages[0]).toEqual({ role: 'system', content: 'You are Miller.' });
});

test('says what is missing', async () => {
  expect(await failureOf(run([], []))).toContain('A crew needs at least one task.');
  const task = node('TaskAgent-a', 'SequentialTaskAgentComponent', { task_description: 'Rest.' });
  const edges = [wire('TaskAgent-a', 'task_output', 'SequentialCrewComponent-c', 'tasks')];
  expect(await failureOf(run([task], edges))).toContain('A language model must be wired to the task.');
});
