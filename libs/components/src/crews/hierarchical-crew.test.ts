import { edge, failureOf, node } from '../testing/flow-under-test.fixture';
import { callTools, streamText } from '../integrations/openai/openai-server.fixture';
import { modelEdge, modelNode, openCrewSuite } from './crew.fixture';

const suite = openCrewSuite('HierarchicalCrewComponent-c');
const { server } = suite;

const crew = node('HierarchicalCrewComponent-c', 'HierarchicalCrewComponent');
const task = node('Task-t', 'HierarchicalTaskComponent', {
  task_description: 'Say how many mills there are.',
  expected_output: 'A number.',
});
const research = node('CrewAIAgentComponent-r', 'CrewAIAgentComponent', {
  role: 'Mill Research',
  goal: 'Count.',
});
const edges = [
  edge('Task-t', 'task_output', 'HierarchicalCrewComponent-c', 'tasks'),
  edge('CrewAIAgentComponent-r', 'output', 'HierarchicalCrewComponent-c', 'agents'),
  modelEdge('CrewAIAgentComponent-r'),
];
const run = (nodes: readonly unknown[], extraEdges: readonly unknown[]) =>
  suite.run([modelNode, crew, task, research, ...nodes], [...edges, ...extraEdges]);

test.each([
  ['a default manager', [], [modelEdge('HierarchicalCrewComponent-c', 'manager_llm')]],
  [
    'a connected manager',
    [node('CrewAIAgentComponent-b', 'CrewAIAgentComponent', { role: 'Boss' })],
    [
      modelEdge('CrewAIAgentComponent-b'),
      edge('CrewAIAgentComponent-b', 'output', 'HierarchicalCrewComponent-c', 'manager_agent'),
    ],
  ],
])('%s delegates work to members and answers with their results', async (_, nodes, extraEdges) => {
  server.answers.push(
    callTools(['delegate_to_mill_research', { task: 'Count the mills.', context: 'In Oslo.' }]),
    streamText('I counted 42.'),
    streamText('There are 42 mills.'),
  );
  const { text } = await run(nodes, extraEdges);
  expect(text).toBe('There are 42 mills.');
  const [asked, delegated, finalMessages] = server.requests.map(({ body }) => body.messages);
  expect(asked?.[1]?.content).toContain('Expected output: A number.');
  expect(delegated).toMatchObject([
    { role: 'system', content: 'You are Mill Research.\nYour goal is: Count.' },
    { role: 'user', content: 'Count the mills.\n\nIn Oslo.' },
  ]);
  expect(finalMessages?.at(-1)).toMatchObject({ role: 'tool', content: 'I counted 42.' });
});

test('reports a missing manager', async () => {
  expect(await failureOf(run([], []))).toContain(
    'A language model must be connected to the crew as its manager',
  );
});
