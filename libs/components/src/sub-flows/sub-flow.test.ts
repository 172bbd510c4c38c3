import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import { provideFlows } from './sub-flows.fixture';

const twice = flow(
  [
    node('TextInput-i', 'TextInput', { input_value: 'saved' }),
    node('TextOutput-a', 'TextOutput'),
    node('TextOutput-b', 'TextOutput'),
  ],
  [
    edge('TextInput-i', 'text', 'TextOutput-a', 'input_value'),
    edge('TextInput-i', 'text', 'TextOutput-b', 'input_value'),
  ],
);
const { resources } = provideFlows({ twice });

const run = (flowName: string): Promise<{ readonly text: unknown }> =>
  runFlow(
    flow(
      [
        node('ChatInput-a', 'ChatInput'),
        node('SubFlow-s', 'SubFlow', { flow_name: flowName, 'TextInput-i|input_value': '' }),
        node('ParseData-p', 'ParseData', { template: '<{text}>', sep: ',' }),
        node('ChatOutput-z', 'ChatOutput'),
      ],
      [
        edge('ChatInput-a', 'message', 'SubFlow-s', 'TextInput-i|input_value'),
        edge('SubFlow-s', 'flow_outputs', 'ParseData-p', 'data'),
        edge('ParseData-p', 'text', 'ChatOutput-z', 'input_value'),
      ],
    ),
    { input: 'said', resources },
  );

test('returns every output of the flow as data', async () => {
  expect((await run('twice')).text).toBe('<said>,<said>');
});

test('reports a missing flow', async () => {
  expect(await failureOf(run(''))).toContain('Flow name is required');
  expect(await failureOf(run('nowhere'))).toContain('Flow not found');
});
