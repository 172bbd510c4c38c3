import type { PythonObject } from '@millrace/python-text';
import { casesOf, message } from '../component-case';
import type { CaseRow } from '../component-case';

const sample = 'The quick brown fox.\nJumps over 2 dogs!\n\n  Spaces   here  ';
const operation = (name: string): PythonObject => ({ operation: [{ name }] });

const rows: readonly CaseRow[] = [
  ['word count', { text_input: sample, ...operation('Word Count') }],
  [
    'word count of words only',
    { text_input: sample, ...operation('Word Count'), count_characters: false, count_lines: false },
  ],
  ['word count of nothing', { text_input: '', ...operation('Word Count') }],
  ['upper case', { text_input: sample, ...operation('Case Conversion'), case_type: 'uppercase' }],
  ['lower case', { text_input: 'ÄÖ ẞ İ', ...operation('Case Conversion'), case_type: 'lowercase' }],
  ['title case', { text_input: "it's a dog's 2nd day", ...operation('Case Conversion'), case_type: 'title' }],
  ['capitalized', { text_input: 'ab CD', ...operation('Case Conversion'), case_type: 'capitalize' }],
  ['swapped case', { text_input: 'ab CD ß', ...operation('Case Conversion'), case_type: 'swapcase' }],
  ['snake case', { text_input: 'One two-Three', ...operation('Case Conversion'), case_type: 'snake_case' }],
  ['camel case', { text_input: 'one two three', ...operation('Case Conversion'), case_type: 'camelCase' }],
  [
    'replaces',
    { text_input: sample, ...operation('Text Replace'), search_pattern: 'fox', replacement_text: 'cat' },
  ],
  [
    'replaces nothing',
    { text_input: sample, ...operation('Text Replace'), search_pattern: '', replacement_text: 'cat' },
  ],
  [
    'replaces a pattern',
    {
      text_input: sample,
      ...operation('Text Replace'),
      search_pattern: '\\s+',
      replacement_text: ' ',
      use_regex: true,
    },
  ],
  [
    'replaces with groups',
    {
      text_input: 'a1 b2',
      ...operation('Text Replace'),
      search_pattern: '([a-z])(\\d)',
      replacement_text: '\\2\\1',
      use_regex: true,
    },
  ],
  [
    'an invalid pattern',
    {
      text_input: 'a',
      ...operation('Text Replace'),
      search_pattern: '(',
      replacement_text: '',
      use_regex: true,
    },
  ],
  ['extracts', { text_input: 'a1 b22', ...operation('Text Extract'), extract_pattern: '\\d+' }],
  [
    'extracts at most one',
    { text_input: 'a1 b22', ...operation('Text Extract'), extract_pattern: '\\d+', max_matches: 1 },
  ],
  [
    'extracts groups',
    { text_input: 'a=1 b=2', ...operation('Text Extract'), extract_pattern: '(\\w)=(\\d)' },
  ],
  ['extracts nothing', { text_input: 'abc', ...operation('Text Extract'), extract_pattern: '\\d' }],
  [
    'extracts by an invalid pattern',
    { text_input: 'abc', ...operation('Text Extract'), extract_pattern: '[' },
  ],
  ['head', { text_input: sample, ...operation('Text Head'), head_characters: 9 }],
  ['head of nothing', { text_input: sample, ...operation('Text Head'), head_characters: 0 }],
  ['head of a negative number', { text_input: sample, ...operation('Text Head'), head_characters: -2 }],
  ['head of wide characters', { text_input: '😀é日本', ...operation('Text Head'), head_characters: 2 }],
  ['tail', { text_input: sample, ...operation('Text Tail'), tail_characters: 6 }],
  ['tail of nothing', { text_input: sample, ...operation('Text Tail'), tail_characters: 0 }],
  ['strips', { text_input: '  a b ', ...operation('Text Strip') }],
  [
    'strips the left side',
    { text_input: 'xxaxx', ...operation('Text Strip'), strip_mode: 'left', strip_characters: 'x' },
  ],
  [
    'strips the right side',
    { text_input: 'xyaxy', ...operation('Text Strip'), strip_mode: 'right', strip_characters: 'yx' },
  ],
  ['joins', { text_input: 'a', text_input_2: 'b', ...operation('Text Join') }],
  ['joins one', { text_input: 'a', ...operation('Text Join') }],
  ['cleans', { text_input: sample, ...operation('Text Clean') }],
  [
    'cleans special characters',
    { text_input: 'a@b #c é!', ...operation('Text Clean'), remove_special_chars: true },
  ],
  [
    'cleans empty lines',
    {
      text_input: 'a\n\n\nb\n',
      ...operation('Text Clean'),
      remove_empty_lines: true,
      remove_extra_spaces: false,
    },
  ],
  ['a table', { text_input: '| a | b |\n| 1 | x |\n| 2 | y |', ...operation('Text to DataFrame') }],
  [
    'a table without a header',
    { text_input: '| a | b |\n| 1 | x |', ...operation('Text to DataFrame'), has_header: false },
  ],
  [
    'a table by commas',
    { text_input: 'a,b\n1,2.5', ...operation('Text to DataFrame'), table_separator: ',' },
  ],
  [
    'a table of uneven rows',
    { text_input: 'a,b\n1', ...operation('Text to DataFrame'), table_separator: ',' },
  ],
  [
    'a table of uneven rows without a header',
    { text_input: 'a,1\nb\n,3', ...operation('Text to DataFrame'), table_separator: ',', has_header: false },
  ],
  [
    'a Markdown table',
    { text_input: '| a | b |\n|---|:-:|\n| 1 | x |\n|   | y |', ...operation('Text to DataFrame') },
  ],
  ['a table of nothing', { text_input: '', ...operation('Text to DataFrame') }],
  ['head of three', { text_input: sample, ...operation('Text Head'), head_characters: 3 }],
  ['head of more than the text', { text_input: sample, ...operation('Text Head'), head_characters: 500 }],
  ['tail of three', { text_input: sample, ...operation('Text Tail'), tail_characters: 3 }],
  ['tail of more than the text', { text_input: sample, ...operation('Text Tail'), tail_characters: 500 }],
  ['strips tabs', { text_input: '\tx\t', ...operation('Text Strip') }],
  ['joins the second', { text_input: '', text_input_2: 'b', ...operation('Text Join') }],
  [
    'replaces every place',
    { text_input: 'a.a.a', ...operation('Text Replace'), search_pattern: '.', replacement_text: '-' },
  ],
  [
    'upper case of a sharp s',
    { text_input: 'straße', ...operation('Case Conversion'), case_type: 'uppercase' },
  ],
  ['word count of one word', { text_input: 'word', ...operation('Word Count') }],
  [
    'a table of one column',
    { text_input: 'a\n1\n2', ...operation('Text to DataFrame'), table_separator: ',' },
  ],
  ['a message', { ...operation('Word Count') }, { text_input: message('one two') }],
];

export const textOperations = casesOf('TextOperations', rows);

/** The same operations in the component that joins text, data and table operations. */
export const operations = casesOf(
  'Operations',
  rows.map(
    ([name, fields, wires = {}]) => [`text: ${name}`, { input_type: 'Text', ...fields }, wires] as const,
  ),
);
