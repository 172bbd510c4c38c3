import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

const keptValues = async (values: Readonly<Record<string, unknown>>): Promise<unknown> => {
  const json_string = '[{"n":"one","v":1},{"n":"none","v":2},{"v":true}]';
  const document = flow(
    [node('JSONtoData-a', 'JSONtoData', { json_string }), node('Filter-b', 'FilterDataValues', values)],
    [edge('JSONtoData-a', 'data', 'Filter-b', 'input_data')],
  );
  const { result } = await runFlow(document, { show: 'Filter-b' });
  const list = result?.outputs['filtered_data']?.message as readonly {
    readonly data: { readonly v: unknown };
  }[];
  return list.map((item) => item.data.v);
};

test.each<[string, string, string, readonly unknown[]]>([
  ['n', 'equals', 'one', [1]],
  ['n', 'not equals', 'one', [2]],
  ['n', 'contains', 'one', [1, 2]],
  ['n', 'starts with', 'no', [2]],
  ['n', 'ends with', 'e', [1, 2]],
  ['v', 'equals', 'True', [true]],
  ['v', 'unknown', '1', []],
])('%s %s %s', async (filter_key, operator, filter_value, expected) => {
  expect(await keptValues({ filter_key, operator, filter_value })).toEqual(expected);
});

test('keeps all items without a key or a value', async () => {
  expect(await keptValues({ filter_key: '', filter_value: 'x' })).toEqual([1, 2, true]);
});
