import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

test('keeps those named fields that exist', async () => {
  const document = flow(
    [node('Webhook-a', 'Webhook'), node('FilterData-b', 'FilterData', { filter_criteria: ['a', 'c', 'x'] })],
    [edge('Webhook-a', 'output_data', 'FilterData-b', 'data')],
  );
  const { result } = await runFlow(document, { webhook: '{"a":1,"b":2,"c":3}', show: 'FilterData-b' });
  expect(result?.outputs['filtered_data']).toEqual({ message: { a: 1, c: 3 }, type: 'object' });
});
