import { failureOf, flow, node, runFlow, wire } from '../flow-under-test.fixture';

const cleaning = async (input: string, values: Readonly<Record<string, unknown>> = {}): Promise<unknown> => {
  const document = flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('JSONCleaner-b', 'JSONCleaner', values),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      wire('ChatInput-a', 'message', 'JSONCleaner-b', 'json_str'),
      wire('JSONCleaner-b', 'output', 'ChatOutput-z', 'input_value'),
    ],
  );
  return (await runFlow(document, { input })).text;
};

test.each([
  ['{"a": 1}', '{"a": 1}'],
  ['Here: {"a": "x"} done', '{"a": "x"}'],
  ['{"a": 1,}', '{"a": 1}'],
])('of %s takes %s', async (input, expected) => {
  expect(await cleaning(input)).toBe(expected);
});

test('takes out control characters and composes letters when asked to', async () => {
  const input = '{"a": "x\u0001e\u0301"}';
  expect(await cleaning(input, { remove_control_chars: true, normalize_unicode: true })).toBe(
    '{"a": "x\\u00e9"}',
  );
});

test('says what is wrong', async () => {
  expect(await failureOf(cleaning('no braces'))).toContain("Invalid JSON string: Missing '{' or '}'");
  expect(await failureOf(cleaning("{'a': 1}", { validate_json: true }))).toContain(
    'Error cleaning JSON string: Invalid JSON string: Expecting property name enclosed in double quotes',
  );
});
