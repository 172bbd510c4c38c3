import { flow, node, runFlow, wire } from '../flow-under-test.fixture';

const merged = async (operation: string, json = '{"name":"Ann","n":1}'): Promise<unknown> => {
  const document = flow(
    [
      node('Webhook-a', 'Webhook'),
      node('JSONtoData-b', 'JSONtoData', { json_string: json }),
      node('Merge-c', 'MergeDataComponent', { operation }),
    ],
    [
      wire('Webhook-a', 'output_data', 'Merge-c', 'data_inputs'),
      wire('JSONtoData-b', 'data', 'Merge-c', 'data_inputs'),
    ],
  );
  const { result } = await runFlow(document, { webhook: '{"name":"Bob","m":2}', show: 'Merge-c' });
  return result?.outputs['combined_data']?.message;
};

test('puts data together in four ways', async () => {
  expect(await merged('Concatenate')).toEqual([{ name: 'Bob\nAnn', m: 2, n: 1 }]);
  expect(await merged('Merge')).toEqual([{ name: ['Bob', 'Ann'], m: 2, n: 1 }]);
  expect(await merged('Join')).toEqual([{ name: 'Bob', m: 2, name_doc2: 'Ann', n_doc2: 1 }]);
  expect(await merged('Append')).toEqual([
    { name: 'Bob', m: 2, n: null },
    { name: 'Ann', m: null, n: 1 },
  ]);
});

test('any number of items goes into one', async () => {
  const json = '[{"name":"Ann"},{"name":"Cid","m":3}]';
  expect(await merged('Merge', json)).toEqual([{ name: ['Bob', 'Ann', 'Cid'], m: 3 }]);
  expect(await merged('Concatenate', json)).toEqual([{ name: 'Bob\nAnn\nCid', m: 3 }]);
});

test('gives the data of earlier versions, each item with the names of all', async () => {
  const document = flow(
    [
      node('JSONtoData-a', 'JSONtoData', { json_string: '[{"a":1},{"b":2}]' }),
      node('Merge-b', 'MergeDataComponent'),
      node('SelectData-c', 'SelectData', { data_index: 1 }),
    ],
    [
      wire('JSONtoData-a', 'data', 'Merge-b', 'data_inputs'),
      wire('Merge-b', 'merged_data', 'SelectData-c', 'data_list'),
    ],
  );
  expect((await runFlow(document, { show: 'SelectData-c' })).text).toEqual({ a: '', b: 2 });
});

test('one item alone is no table', async () => {
  const { result } = await runFlow(
    flow(
      [node('Webhook-a', 'Webhook'), node('Merge-c', 'MergeDataComponent')],
      [wire('Webhook-a', 'output_data', 'Merge-c', 'data_inputs')],
    ),
    { webhook: '{"a":1}', show: 'Merge-c' },
  );
  expect(result?.outputs['combined_data']).toEqual({ message: [], type: 'array' });
});
