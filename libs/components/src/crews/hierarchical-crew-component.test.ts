import { failureOf, flow, node, runFlow, wire } from '../flow-under-test.fixture';
import { callTools, say, startModelServerUnderTest } from '../language-models/model-server.fixture';
import type { ModelServerUnderTest } from '../language-models/model-server.fixture';
import { crewVariables, modelNode, modelWire } from './crew.fixture';

let server: ModelServerUnderTest;
beforeEach(async () => {
  server = await startModelServerUnderTest();
});
afterEach(() => server.close());

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
  wire('Task-t', 'task_output', 'HierarchicalCrewComponent-c', 'tasks'),
  wire('CrewAIAgentComponent-r', 'output', 'HierarchicalCrewComponent-c', 'agents'),
  modelWire('CrewAIAgentComponent-r'),
];
const run = (nodes: readonly unknown[], further: readonly unknown[]) =>
  runFlow(flow([modelNode, crew, task, research, ...nodes], [...edges, ...further]), {
    show: 'HierarchicalCrewComponent-c',
    variables: crewVariables(server),
  });

test.each([
  ['a manager of its own', [], [modelWire('HierarchicalCrewComponent-c', 'manager_llm')]],
  [
    'a wired manager',
    [node('CrewAIAgentComponent-b', 'CrewAIAgentComponent', { role: 'Boss' })],
    [
      modelWire('CrewAIAgentComponent-b'),
      wire('CrewAIAgentComponent-b', 'output', 'HierarchicalCrewComponent-c', 'manager_agent'),
    ],
  ],
])('%s gives work to members and answers with what they gave', async (_, nodes, further) => {
  server.answers.push(
    callTools(['delegate_to_mill_research', { task: 'Count the mills.', context: 'In Oslo.' }]),
    say('I counted 42.'),
    say('There are 42 mills.'),
  );
  const { text } = await run(nodes, further);
  expect(text).toBe('There are 42 mills.');
  const [asked, delegated, told] = server.asked.map(({ body }) => body.messages);
  expect(asked?.[1]?.content).toContain('What is expected of your answer: A number.');
  expect(delegated).toMatchObject([
    { role: 'system', content: 'You are Mill Research.\nYour goal is: Count.' },
    { role: 'user', content: 'Count the mills.\n\nIn Oslo.' },
  ]);
  expect(told?.at(-1)).toMatchObject({ role: 'tool', content: 'I counted 42.' });
});

test('says that a manager is missing', async () => {
  expect(await failureOf(run([], []))).toContain('A language model must be wired to the crew as its manager');
});
