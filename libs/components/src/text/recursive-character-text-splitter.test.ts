import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

const splitting = async (
  values: Readonly<Record<string, unknown>>,
  json_string: string,
): Promise<unknown> => {
  const document = flow(
    [
      node('JSONtoData-a', 'JSONtoData', { json_string }),
      node('Splitter-b', 'RecursiveCharacterTextSplitter', values),
    ],
    [edge('JSONtoData-a', 'data', 'Splitter-b', 'data_input')],
  );
  const { result } = await runFlow(document, { show: 'Splitter-b' });
  return (result?.outputs['data']?.message as readonly { readonly data: unknown }[]).map((item) => item.data);
};

test('splits at words when lines are too long', async () => {
  const values = { chunk_size: 12, chunk_overlap: 0 };
  expect(await splitting(values, '{"text":"the quick brown fox jumps"}')).toEqual([
    { text: 'the quick' },
    { text: 'brown fox' },
    { text: 'jumps' },
  ]);
});

test('splits each item of a list at given separators', async () => {
  const values = { chunk_size: 4, chunk_overlap: 0, separators: [';'] };
  expect(await splitting(values, '[{"text":"aaa;bbb","id":1},{"text":"c"}]')).toEqual([
    { text: 'aaa', id: 1 },
    { text: ';bbb', id: 1 },
    { text: 'c' },
  ]);
});
