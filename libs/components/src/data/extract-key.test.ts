import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

const extracting = (source: unknown, output: string): unknown =>
  flow(
    [source, node('ExtractaKey-b', 'ExtractaKey', { key: 'name' })],
    [edge('Webhook-a', output, 'ExtractaKey-b', 'data_input')],
  );
const webhook = extracting(node('Webhook-a', 'Webhook'), 'output_data');

test.each([
  ['{"name":"Ann","x":1}', { name: 'Ann' }],
  ['{"a":1}', { error: "Key 'name' not found in Data object." }],
])('extracts from %s: %j', async (body, expected) => {
  const { result } = await runFlow(webhook, { webhook: body, show: 'ExtractaKey-b' });
  expect(result?.outputs['extracted_data']).toEqual({ message: expected, type: 'object' });
});

test('extracts from a list those items that have the key', async () => {
  const source = node('Webhook-a', 'JSONtoData', { json_string: '[{"name":"Ann"},{"a":1},{"name":"Bob"}]' });
  const { result } = await runFlow(extracting(source, 'data'), { show: 'ExtractaKey-b' });
  expect(result?.outputs['extracted_data']?.message).toMatchObject([
    { data: { name: 'Ann' } },
    { data: { name: 'Bob' } },
  ]);
});

test('rejects values that are not data', async () => {
  const source = node('Webhook-a', 'CreateList', { texts: ['x'] });
  expect(await failureOf(runFlow(extracting(source, 'dataframe'), { show: 'ExtractaKey-b' }))).toContain(
    "Invalid value type <class 'lfx.schema.dataframe.Table'>",
  );
});
