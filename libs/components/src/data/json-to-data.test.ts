import { failureOf, flow, node, runFlow } from '../flow-under-test.fixture';

const show = 'JSONtoData-a';
const loading = (values: Readonly<Record<string, unknown>>): ReturnType<typeof runFlow> =>
  runFlow(flow([node(show, 'JSONtoData', values)]), { show });

test('makes data of an object', async () => {
  const { result } = await loading({ json_string: '{"a":1,"b":{"c":[1,2]}}' });
  expect(result?.outputs['data']).toEqual({ message: { a: 1, b: { c: [1, 2] } }, type: 'object' });
});

test('makes a list of data of a list', async () => {
  const { result } = await loading({ json_string: '[{"a":1},{"a":2}]' });
  expect(result?.outputs['data']?.message).toMatchObject([{ data: { a: 1 } }, { data: { a: 2 } }]);
});

test('repairs what is not quite JSON', async () => {
  const { result } = await loading({ json_string: "{'a': 1, b: 2,}" });
  expect(result?.outputs['data']?.message).toEqual({ a: 1, b: 2 });
});

test.each([
  [{}, 'Please provide exactly one of: JSON file, file path, or JSON string.'],
  [{ json_path: '/etc/hosts' }, 'JSON files cannot be read here.'],
  [{ json_string: '5' }, "The JSON must hold objects, got <class 'int'>"],
])('%j is refused', async (values, message) => {
  expect(await failureOf(loading(values))).toContain(message);
});
