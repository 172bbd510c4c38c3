import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import { provideFlows } from './sub-flows.fixture';

test('lists the flows of the user', async () => {
  const { resources } = provideFlows({ one: flow([]), two: flow([]) });
  const document = flow(
    [
      node('ListFlows-l', 'ListFlows'),
      node('ParseData-p', 'ParseData', { template: '{id} {name}: {description}' }),
    ],
    [edge('ListFlows-l', 'data', 'ParseData-p', 'data')],
  );
  expect((await runFlow(document, { show: 'ParseData-p', resources })).text).toBe(
    'one-id one: What one does\ntwo-id two: What two does',
  );
});
