import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

const cleaning = async (input: string, values: Readonly<Record<string, unknown>> = {}): Promise<unknown> => {
  const document = flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('JSONCleaner-b', 'JSONCleaner', values),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('ChatInput-a', 'message', 'JSONCleaner-b', 'json_str'),
      edge('JSONCleaner-b', 'output', 'ChatOutput-z', 'input_value'),
    ],
  );
  return (await runFlow(document, { input })).text;
};

test.each([
  ['{"a": 1}', '{"a": 1}'],
  ['Here: {"a": "x"} done', '{"a": "x"}'],
  ['{"a": 1,}', '{"a": 1}'],
])('extracts from %s: %s', async (input, expected) => {
  expect(await cleaning(input)).toBe(expected);
});

test('removes control characters and composes letters if enabled', async () => {
  const input = '{"a": "x\u0001e\u0301"}';
  expect(await cleaning(input, { remove_control_chars: true, normalize_unicode: true })).toBe(
    '{"a": "x\\u00e9"}',
  );
});

test('reports invalid input', async () => {
  expect(await failureOf(cleaning('no braces'))).toContain("Invalid JSON string: Missing '{' or '}'");
  expect(await failureOf(cleaning("{'a': 1}", { validate_json: true }))).toContain(
    'Error cleaning JSON string: Invalid JSON string: Expecting property name enclosed in double quotes',
  );
});
