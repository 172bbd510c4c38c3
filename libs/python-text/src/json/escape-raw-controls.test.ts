import { escapeRawControls } from './escape-raw-controls';
import { parseLenientJson } from './parse-lenient-json';

const maximumBytes = 10 * 1_048_576;

test.each([
  ['{"a":"1\n2\r","b\t":"\u0001"}', '{"a":"1\\n2\\r","b\\t":"\\u0001"}'],
  ['{\n"a":"\\"\n"}', '{\n"a":"\\"\\n"}'],
])('escapes the control characters in the strings of %j', (text, escaped) => {
  expect(escapeRawControls(text)).toBe(escaped);
  expect(parseLenientJson(text)).toEqual(JSON.parse(escaped));
});

test.each(['{\n"a":1}', '{"a":"\n"', '{"a":"\\\n"}', '\n"a', '"\n" b', ''])('leaves %j as it is', (text) => {
  expect(escapeRawControls(text)).toBe(text);
});

test('leaves a text as it is that is longer than the limit with its escapes', () => {
  expect(escapeRawControls('["é\u0001"]', 12)).toBe('["é\\u0001"]');
  expect(escapeRawControls('["é\u0001"]', 11)).toBe('["é\u0001"]');
});

// A scan of the rest of the text for each quote does not end within the time limit of the test.
test('reads a string of 10 MiB once, and one without an end', () => {
  const quotes = '\\"'.repeat(maximumBytes / 2 - 10);
  expect(escapeRawControls(`\n"${quotes}`)).toHaveLength(quotes.length + 2);
  expect(escapeRawControls(`\n"${quotes}"`)).toHaveLength(quotes.length + 3);
  expect(escapeRawControls(`["${quotes}\n"]`)).toHaveLength(quotes.length + 6);
});
