import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

test('sets fields and keeps the others', async () => {
  const document = flow(
    [node('Webhook-a', 'Webhook'), node('UpdateData-u', 'UpdateData', { field_1_key: { status: 'ok' } })],
    [edge('Webhook-a', 'output_data', 'UpdateData-u', 'old_data')],
  );
  const { result } = await runFlow(document, { webhook: '{"a":1,"status":"old"}', show: 'UpdateData-u' });
  expect(result?.artifacts['data']).toMatchObject({
    repr: "[JSON(text_key='text', data={'a': 1, 'status': 'ok'}, default_value='')]",
  });
});

test('a text key must be one of the keys, whether or not the validator is on', async () => {
  const document = flow(
    [node('Webhook-a', 'Webhook'), node('UpdateData-u', 'UpdateData', { text_key: 'none' })],
    [edge('Webhook-a', 'output_data', 'UpdateData-u', 'old_data')],
  );
  expect(await failureOf(runFlow(document, { webhook: '{"a":1}', show: 'UpdateData-u' }))).toContain(
    "Text Key: 'none' not found in the Data keys: a",
  );
});

test('rejects values that are not data', async () => {
  const document = flow(
    [
      node('Webhook-a', 'Webhook'),
      node('DataToDataFrame-b', 'DataToDataFrame'),
      node('UpdateData-u', 'UpdateData'),
    ],
    [
      edge('Webhook-a', 'output_data', 'DataToDataFrame-b', 'data_list'),
      edge('DataToDataFrame-b', 'dataframe', 'UpdateData-u', 'old_data'),
    ],
  );
  expect(await failureOf(runFlow(document, { webhook: '{}', show: 'UpdateData-u' }))).toContain(
    'old_data is not a Data object or list of Data objects.',
  );
});
