import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

const splitting = (values: Readonly<Record<string, unknown>>, body: string): ReturnType<typeof runFlow> =>
  runFlow(
    flow(
      [node('Webhook-a', 'Webhook'), node('Splitter-b', 'CharacterTextSplitter', values)],
      [edge('Webhook-a', 'output_data', 'Splitter-b', 'data_input')],
    ),
    { webhook: body, show: 'Splitter-b' },
  );

test('splits at the separator and keeps the other fields', async () => {
  const { text } = await splitting(
    { chunk_size: 6, chunk_overlap: 0, separator: ' ' },
    '{"text":"aa bb cc dd","id":7}',
  );
  expect(text).toMatchObject([{ data: { text: 'aa bb', id: 7 } }, { data: { text: 'cc dd', id: 7 } }]);
});

test('without a separator splits at empty lines', async () => {
  const { text } = await splitting({ chunk_size: 4, chunk_overlap: 0 }, '{"text":"aa bb\\n\\ncc"}');
  expect(text).toMatchObject([{ data: { text: 'aa bb' } }, { data: { text: 'cc' } }]);
});

test('rejects an overlap that is too large', async () => {
  expect(await failureOf(splitting({ chunk_size: 5, chunk_overlap: 200 }, '{"text":"x"}'))).toContain(
    'Got a larger chunk overlap (200) than chunk size (5), should be smaller.',
  );
});
