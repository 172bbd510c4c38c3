import { flow, node, runFlow, wire } from '../flow-under-test.fixture';

test('keeps the named fields that are there', async () => {
  const document = flow(
    [node('Webhook-a', 'Webhook'), node('FilterData-b', 'FilterData', { filter_criteria: ['a', 'c', 'x'] })],
    [wire('Webhook-a', 'output_data', 'FilterData-b', 'data')],
  );
  const { result } = await runFlow(document, { webhook: '{"a":1,"b":2,"c":3}', show: 'FilterData-b' });
  expect(result?.outputs['filtered_data']).toEqual({ message: { a: 1, c: 3 }, type: 'object' });
});
