import { failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { filesUnderTest } from '../testing/run-files.fixture';

const show = 'JSONtoData-a';
const loading = (values: Readonly<Record<string, unknown>>): ReturnType<typeof runFlow> =>
  runFlow(flow([node(show, 'JSONtoData', values)]), { show });

test('returns data for an object', async () => {
  const { result } = await loading({ json_string: '{"a":1,"b":{"c":[1,2]}}' });
  expect(result?.outputs['data']).toEqual({ message: { a: 1, b: { c: [1, 2] } }, type: 'object' });
});

test('returns a list of data for a list', async () => {
  const { result } = await loading({ json_string: '[{"a":1},{"a":2}]' });
  expect(result?.outputs['data']?.message).toMatchObject([{ data: { a: 1 } }, { data: { a: 2 } }]);
});

test('repairs malformed JSON', async () => {
  const { result } = await loading({ json_string: "{'a': 1, b: 2,}" });
  expect(result?.outputs['data']?.message).toEqual({ a: 1, b: 2 });
});

test('reads a stored file', async () => {
  const { resources } = filesUnderTest({ 'flow/a.json': '{"a": 1}' });
  for (const name of ['json_file', 'json_path']) {
    const document = flow([node(show, 'JSONtoData', { [name]: 'flow/a.json' })]);
    const { result } = await runFlow(document, { show, resources });
    expect(result?.outputs['data']?.message).toEqual({ a: 1 });
  }
});

test.each([
  [{}, 'Please provide exactly one of: JSON file, file path, or JSON string.'],
  [{ json_path: '/etc/hosts' }, 'The provided file must be a JSON file.'],
  [{ json_path: 'a.json', json_string: '{}' }, 'Please provide exactly one of: JSON file, file path'],
  [{ json_string: 'nothing' }, 'Invalid JSON or Python literal: Expecting value: line 1 column 1 (char 0)'],
  [{ json_string: '5' }, "The JSON must hold objects, got <class 'int'>"],
])('%j is rejected', async (values, message) => {
  expect(await failureOf(loading(values))).toContain(message);
});
