import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

const altering = (values: Readonly<Record<string, unknown>>): unknown =>
  flow(
    [
      node('Webhook-a', 'Webhook'),
      node('AlterMetadata-b', 'AlterMetadata', { metadata: { source: 'api' }, ...values }),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('Webhook-a', 'output_data', 'AlterMetadata-b', 'input_value'),
      edge('AlterMetadata-b', 'dataframe', 'ChatOutput-z', 'input_value'),
    ],
  );

test('sets fields and removes others', async () => {
  const { result } = await runFlow(altering({ remove_fields: ['drop'] }), {
    webhook: '{"a":1,"drop":2,"source":"old"}',
    show: 'AlterMetadata-b',
  });
  expect(result?.outputs['dataframe']?.message).toEqual([{ a: 1, source: 'api' }]);
});

test('text_in becomes the first item', async () => {
  const { result } = await runFlow(altering({ text_in: 'hello' }), {
    webhook: '{"a":1}',
    show: 'AlterMetadata-b',
  });
  expect(result?.outputs['dataframe']?.message).toEqual([
    { text: 'hello', source: 'api', a: null },
    { text: null, source: 'api', a: 1 },
  ]);
});
