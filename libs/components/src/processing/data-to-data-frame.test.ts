import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

test('creates one row for each item', async () => {
  const document = flow(
    [node('Webhook-a', 'Webhook'), node('DataToDataFrame-b', 'DataToDataFrame')],
    [edge('Webhook-a', 'output_data', 'DataToDataFrame-b', 'data_list')],
  );
  const { result } = await runFlow(document, { webhook: '{"a":1,"b":"x"}', show: 'DataToDataFrame-b' });
  expect(result?.outputs['dataframe']).toEqual({ message: [{ a: 1, b: 'x' }], type: 'array' });
  expect(result?.artifacts['dataframe']).toMatchObject({ repr: '   a  b\n0  1  x' });
});

test('a table without columns has no rows in a result', async () => {
  const document = flow(
    [node('Webhook-a', 'Webhook'), node('DataToDataFrame-b', 'DataToDataFrame')],
    [edge('Webhook-a', 'output_data', 'DataToDataFrame-b', 'data_list')],
  );
  const { result } = await runFlow(document, { webhook: '{}', show: 'DataToDataFrame-b' });
  expect(result?.outputs['dataframe']).toEqual({ message: [], type: 'array' });
});

test('fails without an edge', async () => {
  const run = runFlow(flow([node('DataToDataFrame-b', 'DataToDataFrame')]), { show: 'DataToDataFrame-b' });
  expect(await failureOf(run)).toContain(
    `Error running method "build_dataframe": Expected Data objects, got <class 'NoneType'> instead.`,
  );
});

test('rejects values that are not data', async () => {
  const document = flow(
    [
      node('Webhook-a', 'Webhook'),
      node('Convert-b', 'TypeConverterComponent'),
      node('DataToDataFrame-c', 'DataToDataFrame'),
    ],
    [
      edge('Webhook-a', 'output_data', 'Convert-b', 'input_data'),
      edge('Convert-b', 'dataframe_output', 'DataToDataFrame-c', 'data_list'),
    ],
  );
  expect(await failureOf(runFlow(document, { webhook: '{}', show: 'DataToDataFrame-c' }))).toContain(
    "Expected Data objects, got <class 'lfx.schema.dataframe.Table'> instead.",
  );
});
