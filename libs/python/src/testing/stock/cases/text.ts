import { casesOf, data, failsDifferently, message, table } from '../component-case';

const chars =
  'The quick brown fox jumps over the lazy dog. It barked! Did it?\n\nA new paragraph, with näïve 日本 words.';

export const combineText = casesOf('CombineText', [
  ['two texts', { text1: 'a', text2: 'b' }],
  ['a delimiter', { text1: 'a', text2: 'b', delimiter: ', ' }],
  ['an empty delimiter', { text1: 'a', text2: 'b', delimiter: '' }],
  ['no texts', {}],
  ['an escaped newline', { text1: 'a\\nb', text2: 'c', delimiter: '\\n' }],
  ['a message', { text2: 'tail' }, { text1: message('head') }],
  ['two messages', { delimiter: ' | ' }, { text1: message('ä'), text2: message('日本') }],
]);

export const characterSplitter = casesOf('CharacterTextSplitter', [
  ['short text', { separator: ' ', chunk_size: 20, chunk_overlap: 0 }, { data_input: data({ text: chars }) }],
  ['overlap', { separator: ' ', chunk_size: 20, chunk_overlap: 8 }, { data_input: data({ text: chars }) }],
  [
    'a separator that is missing',
    { separator: '#', chunk_size: 10, chunk_overlap: 0 },
    { data_input: data({ text: chars }) },
  ],
  ['no separator', { chunk_size: 40, chunk_overlap: 0 }, { data_input: data({ text: chars }) }],
  [
    'an escaped separator',
    { separator: '\\n', chunk_size: 10, chunk_overlap: 0 },
    { data_input: data({ text: 'one\ntwo\nthree' }) },
  ],
  [
    'metadata is kept',
    { separator: ' ', chunk_size: 5, chunk_overlap: 0 },
    { data_input: data({ text: 'aa bb cc', page: 2, tags: ['x'] }) },
  ],
  [
    'another text key',
    { separator: ' ', chunk_size: 5, chunk_overlap: 0 },
    { data_input: data({ body: 'aa bb cc' }, 'body') },
  ],
  [
    'several values',
    { separator: ' ', chunk_size: 5, chunk_overlap: 0 },
    { data_input: [data({ text: 'aa bb cc', n: 1 }), data({ text: 'dd', n: 2 })] },
  ],
  ['an empty text', { separator: ' ', chunk_size: 5, chunk_overlap: 0 }, { data_input: data({ text: '' }) }],
  [
    'overlap above size',
    { separator: ' ', chunk_size: 5, chunk_overlap: 9 },
    { data_input: data({ text: chars }) },
  ],
]);

export const recursiveSplitter = casesOf('RecursiveCharacterTextSplitter', [
  ['default separators', { chunk_size: 30, chunk_overlap: 0 }, { data_input: data({ text: chars }) }],
  ['overlap', { chunk_size: 30, chunk_overlap: 10 }, { data_input: data({ text: chars }) }],
  [
    'own separators',
    { chunk_size: 12, chunk_overlap: 0, separators: ['. ', ' '] },
    { data_input: data({ text: chars }) },
  ],
  [
    'an escaped separator',
    { chunk_size: 12, chunk_overlap: 0, separators: ['\\n', ' '] },
    { data_input: data({ text: chars }) },
  ],
  ['one character', { chunk_size: 1, chunk_overlap: 0 }, { data_input: data({ text: 'ab c' }) }],
  ['an empty text', { chunk_size: 10, chunk_overlap: 0 }, { data_input: data({ text: '' }) }],
  [
    'several values',
    { chunk_size: 8, chunk_overlap: 0 },
    { data_input: [data({ text: 'aa bb cc dd', n: 1 }), data({ text: 'ee', n: 2 })] },
  ],
  ['overlap above size', { chunk_size: 5, chunk_overlap: 9 }, { data_input: data({ text: chars }) }],
]);

export const splitText = casesOf('SplitText', [
  [
    'lines of a message',
    { chunk_size: 20, chunk_overlap: 0 },
    { data_inputs: message('one\ntwo\nthree and more words here') },
  ],
  [
    'a message without metadata',
    { separator: ' ', chunk_size: 10, chunk_overlap: 4 },
    { data_inputs: message(chars) },
  ],
  ['a value', { chunk_size: 10, chunk_overlap: 0 }, { data_inputs: data({ text: 'a\nb\ncc', page: 1 }) }],
  [
    'a list of values',
    { chunk_size: 10, chunk_overlap: 0 },
    { data_inputs: [data({ text: 'a\nb', n: 1 }), data({ text: 'c', n: 2 })] },
  ],
  [
    'a table',
    { chunk_size: 5, chunk_overlap: 0 },
    { data_inputs: table({ text: 'a\nbb\nccc', n: 1 }, { text: 'd', n: 2 }) },
  ],
  [
    'a table with another column',
    { chunk_size: 5, chunk_overlap: 0, text_key: 'body' },
    { data_inputs: table({ body: 'a\nbb\nccc', n: 1.5 }) },
  ],
  [
    'a table without the column',
    { chunk_size: 5, chunk_overlap: 0, text_key: 'none' },
    { data_inputs: table({ body: 'a\nbb', n: 1 }) },
  ],
  [
    'keeps separators',
    { separator: '\\n', chunk_size: 6, chunk_overlap: 0, keep_separator: 'True' },
    { data_inputs: message('one\ntwo\nthree') },
  ],
  [
    'keeps separators at the start',
    { separator: ',', chunk_size: 6, chunk_overlap: 0, keep_separator: 'Start' },
    { data_inputs: message('one,two,three') },
  ],
  [
    'keeps separators at the end',
    { separator: ',', chunk_size: 6, chunk_overlap: 0, keep_separator: 'End' },
    { data_inputs: message('one,two,three') },
  ],
  [
    'a tab',
    { separator: '/t', chunk_size: 4, chunk_overlap: 0 },
    { data_inputs: message('one\ttwo\tthree') },
  ],
  [
    'clean output',
    { chunk_size: 10, chunk_overlap: 0, clean_output: true },
    { data_inputs: [data({ text: 'a\nb', n: 1 })] },
  ],
  ['an empty message', { chunk_size: 10, chunk_overlap: 0 }, { data_inputs: message('') }],
  ['an empty list', { chunk_size: 10, chunk_overlap: 0 }, { data_inputs: [] }],
  ['overlap above size', { chunk_size: 5, chunk_overlap: 9 }, { data_inputs: message(chars) }],
  ['size of zero', { chunk_size: 0, chunk_overlap: 0 }, { data_inputs: message('a b') }],
]);

const groups = failsDifferently(
  'RegexExtractorComponent',
  null,
  'Error running method "get_matches_text": sequence item 0: expected str instance, tuple found',
  'lfx cannot join matches with several groups.',
);

export const regexExtractor = casesOf('RegexExtractorComponent', [
  ['words', { input_text: 'a1 b22 c', pattern: '[a-z]\\d+' }],
  ['a group', { input_text: 'x=1, y=2', pattern: '(\\w)=\\d' }],
  ['two groups', { input_text: 'x=1, y=2', pattern: '(\\w)=(\\d)' }, {}, groups],
  ['no match', { input_text: 'abc', pattern: '\\d+' }],
  ['an empty text', { input_text: '', pattern: 'a' }],
  ['an empty pattern', { input_text: 'abc', pattern: '' }],
  ['an invalid pattern', { input_text: 'abc', pattern: '(' }],
  ['an optional group', { input_text: 'ab a', pattern: 'a(b)?' }],
  ['a named group', { input_text: 'k: v', pattern: '(?P<key>\\w+): (?P<value>\\w+)' }, {}, groups],
  ['letters of other languages', { input_text: 'grün 日本', pattern: '\\w+' }],
  ['a message', { pattern: '@\\w+' }, { input_text: message('to @ann and @bob') }],
  ['flags in the pattern', { input_text: 'Ab aB', pattern: '(?i)ab' }],
]);

export const jsonCleaner = casesOf('JSONCleaner', [
  ['clean', { json_str: '{"a": 1}' }],
  ['text around it', { json_str: 'Here: {"a": 1, "b": [1, 2]} done' }],
  ['single quotes', { json_str: "{'a': 'b'}" }],
  ['a trailing comma', { json_str: '{"a": [1, 2,],}' }],
  ['control characters', { json_str: '{"a": "b\u0001c"}', remove_control_chars: true }],
  ['unicode', { json_str: '{"a": "é日本"}', normalize_unicode: true }],
  ['validated', { json_str: '{"a": 1.0, "b": null}', validate_json: true }],
  ['invalid and validated', { json_str: '{"a": 1 "b": 2}', validate_json: true }],
  ['no braces', { json_str: 'nothing here' }],
  ['an empty text', { json_str: '' }],
  ['missing quotes', { json_str: '{a: 1, b: true}' }],
  ['unclosed', { json_str: '{"a": {"b": 1}' }],
  ['nested arrays', { json_str: 'x {"a": [[1], [2, {"b": "c"}]]} y' }],
]);

export const outputParser = casesOf('OutputParser', [
  ['CSV', { parser_type: 'CSV' }, {}, { outputs: ['format_instructions'] }],
  ['another type', { parser_type: 'JSON' }, {}, { outputs: ['format_instructions'] }],
]);
