import type { PythonObject } from '@millrace/python-text';
import type { DataOperationSettings } from './operations/data-operation-inputs';
import { dataOperations } from './operations/data-operations-by-name';
import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

type Values = Readonly<Record<string, unknown>>;

const operating = async (name: string, body: string, values: Values = {}): Promise<unknown> => {
  const operations = name === '' ? '' : [{ name, icon: 'x' }];
  const document = flow(
    [node('Webhook-a', 'Webhook'), node('DataOperations-b', 'DataOperations', { operations, ...values })],
    [edge('Webhook-a', 'output_data', 'DataOperations-b', 'data')],
  );
  const { result } = await runFlow(document, { webhook: body, show: 'DataOperations-b' });
  return result?.outputs['data_output']?.message;
};

test.each<[string, string, Values, unknown]>([
  ['Select Keys', '{"a":1,"b":2,"c":3}', { select_keys_input: ['a', 'c'] }, { a: 1, c: 3 }],
  ['Select Keys', '{"a":1,"b":2}', { select_keys_input: ['b', 'a'] }, { a: 1, b: 2 }],
  ['Select Keys', '{"data":{"x":1},"b":2}', { select_keys_input: ['data'] }, { x: 1 }],
  ['Remove Keys', '{"a":1,"s":2,"n":[{"s":3,"k":4}]}', { remove_keys_input: ['s'] }, { a: 1, n: [{ k: 4 }] }],
  ['Rename Keys', '{"o":1,"n":{"o":2}}', { rename_keys_input: { o: 'x' } }, { x: 1, n: { x: 2 } }],
  ['Append or Update', '{"a":1}', { append_update_data: { a: '2', b: '3' } }, { a: '2', b: '3' }],
  [
    'Literal Eval',
    '{"n":"12","l":["True","x"],"d":"{\'k\': None}"}',
    {},
    { n: 12, l: [true, 'x'], d: { k: null } },
  ],
  ['Combine', '{"a":1}', {}, { a: 1 }],
  ['Path Selection', '{"a":{"b":[1,{"c":2}]}}', { selected_key: '.a.b[1]' }, { c: 2 }],
  ['Path Selection', '{"a":[1]}', { selected_key: '.a[0]' }, { result: 1 }],
  ['Path Selection', '{"a":1}', { selected_key: '.a.b' }, { error: 'Cannot index number with string ("b")' }],
  ['JQ Expression', '{"l":[{"n":1},{"n":2}]}', { query: '.l | map(.n)' }, { result: [1, 2] }],
  ['JQ Expression', '{"l":[{"n":1},{"n":2}]}', { query: '.l[]' }, { result: [{ n: 1 }, { n: 2 }] }],
  [
    '',
    '{"a":1}',
    {},
    [
      ['text_key', 'text'],
      ['data', {}],
      ['default_value', ''],
    ],
  ],
])('%s of %s with %j', async (name, body, values, expected) => {
  expect(await operating(name, body, values)).toEqual(expected);
});

test.each<[string, Values, string]>([
  ['Select Keys', { select_keys_input: ['b'] }, "Select key not found in data. Available keys: ['a']"],
  ['JQ Expression', { query: ' ' }, 'JSON Query error: JSON Query is required and cannot be blank.'],
  ['JQ Expression', { query: 'empty' }, 'JSON Query error: No result from JSON query.'],
  ['JQ Expression', { query: '.b' }, 'JSON Query error: JSON query returned null value.'],
  ['JQ Expression', { query: '.a[' }, 'JSON Query error: syntax error, unexpected end of the query'],
  ['Sort', {}, "The 'Sort' operation is no longer supported by the JSON Operations component."],
  ['Nothing', {}, 'Unsupported operation: Nothing'],
])('%s with %j is rejected', async (name, values, message) => {
  expect(await failureOf(operating(name, '{"a":1}', values))).toContain(message);
});

test('only Combine accepts several items', async () => {
  const several = (name: string): ReturnType<typeof runFlow> =>
    runFlow(
      flow(
        [
          node('JSONtoData-a', 'JSONtoData', { json_string: '[{"a":"y","m":2},{"a":["x"],"n":1}]' }),
          node('DataOperations-b', 'DataOperations', { operations: [{ name }] }),
        ],
        [edge('JSONtoData-a', 'data', 'DataOperations-b', 'data')],
      ),
      { show: 'DataOperations-b' },
    );
  expect((await several('Combine')).text).toEqual({ a: ['y', 'x'], m: 2, n: 1 });
  expect(await failureOf(several('Select Keys'))).toContain(
    'Select Keys operation is not supported for multiple data objects.',
  );
});

test('takes linear time for many keys', () => {
  const keys = Array.from({ length: 60_000 }, (_, index) => `k${index}`);
  const item = Object.fromEntries(keys.map((key) => [key, 1]));
  const operate = (name: string, names: object): unknown =>
    dataOperations[name]?.([item], names as DataOperationSettings);
  expect(Object.keys(operate('Select Keys', { select_keys_input: keys }) as object)).toHaveLength(
    keys.length,
  );
  expect(operate('Remove Keys', { remove_keys_input: keys })).toEqual({});
});

test('Combine takes linear time, and bounds lists that many items share', () => {
  const combine = (items: readonly PythonObject[]) =>
    dataOperations['Combine']?.(items, {} as DataOperationSettings);
  expect(combine([{ a: [1] }, { a: 2, b: 3 }, { a: [4, [5]] }])).toEqual({ a: [1, 2, 4, [5]], b: 3 });
  const items = Array.from({ length: 300_000 }, () => ({ a: 'x' }));
  expect(combine(items)?.['a']).toHaveLength(300_000);
  const shared = { a: Array.from({ length: 100_000 }, () => 1) };
  expect(() => combine(Array.from({ length: 50 }, () => shared))).toThrow(
    'The combined lists have more than 4000000 items.',
  );
});
