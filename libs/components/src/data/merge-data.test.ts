import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

const merged = async (
  operation: string,
  json = '{"name":"Ann","n":1}',
  show = 'Merge-c',
): Promise<unknown> => {
  const document = flow(
    [
      node('Webhook-a', 'Webhook'),
      node('JSONtoData-b', 'JSONtoData', { json_string: json }),
      node('Merge-c', 'MergeDataComponent', { operation }),
    ],
    [
      edge('Webhook-a', 'output_data', 'Merge-c', 'data_inputs'),
      edge('JSONtoData-b', 'data', 'Merge-c', 'data_inputs'),
    ],
  );
  const { result } = await runFlow(document, { webhook: '{"name":"Bob","m":2}', show });
  return result?.outputs['combined_data']?.message;
};

test('combines data in four ways', async () => {
  expect(await merged('Concatenate')).toEqual([{ name: 'Bob\nAnn', m: 2, n: 1 }]);
  expect(await merged('Merge')).toEqual([{ name: ['Bob', 'Ann'], m: 2, n: 1 }]);
  expect(await merged('Join')).toEqual([{ name: 'Bob', m: 2, name_doc2: 'Ann', n_doc2: 1 }]);
  expect(await merged('Append')).toEqual([
    { name: 'Bob', m: 2, n: null },
    { name: 'Ann', m: null, n: 1 },
  ]);
});

test('combines any number of items', async () => {
  const json = '[{"name":"Ann"},{"name":"Cid","m":3}]';
  expect(await merged('Merge', json)).toEqual([{ name: ['Bob', 'Ann', 'Cid'], m: 3 }]);
  expect(await merged('Concatenate', json)).toEqual([{ name: 'Bob\nAnn\nCid', m: 3 }]);
});

test('returns the list of earlier versions, in which each item has the names of all items', async () => {
  const document = flow(
    [
      node('JSONtoData-a', 'JSONtoData', { json_string: '[{"a":1},{"b":2}]' }),
      node('Merge-b', 'MergeDataComponent'),
      node('SelectData-c', 'SelectData', { data_index: 1 }),
    ],
    [
      edge('JSONtoData-a', 'data', 'Merge-b', 'data_inputs'),
      edge('Merge-b', 'merged_data', 'SelectData-c', 'data_list'),
    ],
  );
  expect((await runFlow(document, { show: 'SelectData-c' })).text).toEqual({ a: '', b: 2 });
});

test('a single item gives an empty table', async () => {
  const { result } = await runFlow(
    flow(
      [node('Webhook-a', 'Webhook'), node('Merge-c', 'MergeDataComponent')],
      [edge('Webhook-a', 'output_data', 'Merge-c', 'data_inputs')],
    ),
    { webhook: '{"a":1}', show: 'Merge-c' },
  );
  expect(result?.outputs['combined_data']).toEqual({ message: [], type: 'array' });
});

test('Merge takes linear time, and changes no list of an item', async () => {
  const given = '[{"name":["Ann"]},{"name":"Cid"},{"name":"Dan"}]';
  expect(await merged('Merge', given)).toEqual([{ name: ['Ann', 'Cid', 'Dan'], m: 2 }]);
  const many = `[${Array(250_000).fill('{"name":"x"}').join()}]`;
  expect(await merged('Merge', many, 'Webhook-a')).toBeUndefined();
});

test('the list of earlier versions has a limit of cells', async () => {
  const items = Array.from({ length: 2001 }, (_, index) => ({ [`a${index}`]: index }));
  const document = flow(
    [
      node('JSONtoData-a', 'JSONtoData', { json_string: JSON.stringify(items) }),
      node('Merge-b', 'MergeDataComponent'),
      node('SelectData-c', 'SelectData'),
    ],
    [
      edge('JSONtoData-a', 'data', 'Merge-b', 'data_inputs'),
      edge('Merge-b', 'merged_data', 'SelectData-c', 'data_list'),
    ],
  );
  expect(await failureOf(runFlow(document))).toContain('has more than 4000000 cells');
});
