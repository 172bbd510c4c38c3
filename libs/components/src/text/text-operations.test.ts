import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

type Values = Readonly<Record<string, unknown>>;

const operating = async (
  name: string,
  input: string,
  values: Values = {},
  output = 'message',
): Promise<unknown> => {
  const operation = name === '' ? '' : [{ name, icon: 'x' }];
  const document = flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('TextOperations-b', 'TextOperations', { operation, ...values }),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('ChatInput-a', 'message', 'TextOperations-b', 'text_input'),
      edge('TextOperations-b', output, 'ChatOutput-z', 'input_value'),
    ],
  );
  return (await runFlow(document, { input })).text;
};

test.each<[string, string, Values, string]>([
  ['Case Conversion', 'heLLo wORld', { case_type: 'uppercase' }, 'HELLO WORLD'],
  ['Case Conversion', "they're ßtraße", { case_type: 'title' }, "They'Re Sstraße"],
  ['Case Conversion', 'éa BC', { case_type: 'capitalize' }, 'Éa bc'],
  ['Case Conversion', 'heLLo 1', { case_type: 'swapcase' }, 'HEllO 1'],
  ['Case Conversion', 'AbC', { case_type: 'unknown' }, 'AbC'],
  ['Text Replace', 'cat and cat', { search_pattern: 'cat', replacement_text: '$& dog' }, '$& dog and $& dog'],
  [
    'Text Replace',
    'a1b22',
    { use_regex: true, search_pattern: '([a-z])\\d+', replacement_text: '\\1_' },
    'a_b_',
  ],
  ['Text Replace', 'same', { search_pattern: '' }, 'same'],
  ['Text Extract', '1 a 22 b 333', { extract_pattern: '\\d+' }, '1\n22\n333'],
  ['Text Extract', '1 2 3', { extract_pattern: '\\d+', max_matches: 2 }, '1\n2'],
  ['Text Extract', 'a=1 b=2', { extract_pattern: '\\w=(\\d)' }, '1\n2'],
  ['Text Head', 'ab😀cd', { head_characters: 3 }, 'ab😀'],
  ['Text Tail', 'ab😀cd', { tail_characters: 3 }, '😀cd'],
  ['Text Strip', '--x--', { strip_mode: 'left', strip_characters: '-' }, 'x--'],
  ['Text Strip', '  x ', {}, 'x'],
  ['Text Join', 'first', { text_input_2: 'second' }, 'first\nsecond'],
  ['Text Clean', 'a   b \n\n c', {}, 'a b c'],
  ['Text Clean', 'a! b@ (č)', { remove_special_chars: true }, 'a b č'],
  ['Text Clean', 'a\n \n\nb', { remove_empty_lines: true, remove_extra_spaces: false }, 'a\nb'],
  ['', 'text', {}, 'text'],
])('%s of %j with %j', async (name, input, values, expected) => {
  expect(await operating(name, input, values)).toBe(expected);
});

test.each<[string, Values, string, string]>([
  ['Case Conversion', { case_type: 'title' }, "they're ßtraße\n", "They'Re Sstraße\n"],
  ['Case Conversion', { case_type: 'swapcase' }, 'heLLo 😀\n', 'HEllO 😀\n'],
  ['Text Clean', { remove_special_chars: true }, 'a!   b@ \n\n', 'a b '],
  ['Text Replace', { use_regex: true, search_pattern: '\\d+', replacement_text: '#' }, 'a 12\n', 'a #\n'],
])('%s with %j treats a large text like its lines', async (name, values, line, expected) => {
  expect(await operating(name, line.repeat(5000), values)).toBe(expected.repeat(5000));
});

test('counts words, characters and lines', async () => {
  const all = await operating('Word Count', 'one two two\n\nthree', {}, 'data');
  expect(all).toBe(
    '```json\n{\n  "word_count": 4,\n  "unique_words": 3,\n  "character_count": 18,\n' +
      '  "character_count_no_spaces": 16,\n  "line_count": 3,\n  "non_empty_lines": 2\n}\n```',
  );
  const words = await operating(
    'Word Count',
    'one two',
    { count_characters: false, count_lines: false },
    'data',
  );
  expect(words).toBe('```json\n{\n  "word_count": 2,\n  "unique_words": 2\n}\n```');
});

test('another operation gives no table and no data', async () => {
  expect(await operating('Case Conversion', 'a|b', { case_type: 'uppercase' }, 'dataframe')).toBe('');
  expect(await operating('Case Conversion', 'a|b', { case_type: 'uppercase' }, 'data')).toBe(
    '```json\n{}\n```',
  );
});

test('converts a text to a table', async () => {
  expect(await operating('Text to DataFrame', 'a|b\n1|x\n2|y', {}, 'dataframe')).toBe(
    '|   a | b   |\n|----:|:----|\n|   1 | x   |\n|   2 | y   |',
  );
  expect(
    await operating(
      'Text to DataFrame',
      '1;x\n2.5',
      { has_header: false, table_separator: ';' },
      'dataframe',
    ),
  ).toBe('|   col_0 | col_1   |\n|--------:|:--------|\n|     1   | x       |\n|     2.5 |         |');
});

test('reports what is wrong with a pattern or an operation', async () => {
  expect(await failureOf(operating('Text Extract', 'x', { extract_pattern: '(' }))).toContain(
    "Invalid regex pattern '(': missing ), unterminated subpattern at position 0",
  );
  const values = { use_regex: true, search_pattern: 'x', replacement_text: '\\9' };
  expect(await operating('Text Replace', 'x', values)).toBe('x');
  expect(await failureOf(operating('Nothing', 'x'))).toContain('Unsupported operation: Nothing');
});

test('the text of a table is what pandas prints', async () => {
  for (const output of ['text', 'message'])
    expect(await operating('Text to DataFrame', 'a,b\n1,2.5', { table_separator: ',' }, output)).toBe(
      '   a    b\n0  1  2.5',
    );
});

test.each([false, true])('a replacement does not make a text of gigabytes (regex: %s)', async (use_regex) => {
  const values = { use_regex, search_pattern: 'a', replacement_text: 'b'.repeat(100_000) };
  expect(await failureOf(operating('Text Replace', 'a'.repeat(200), values))).toContain(
    'the text would be longer than 16777216 characters',
  );
});
