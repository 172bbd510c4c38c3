import { casesOf, data, failsDifferently, message, several } from '../component-case';

const compared = (operator: string, input: string, match: string) =>
  ({
    operator,
    input_text: input,
    match_text: match,
    true_case_message: 'yes',
    false_case_message: 'no',
  }) as const;

export const conditionalRouter = casesOf('ConditionalRouter', [
  ['equal', compared('equals', 'a', 'a')],
  ['not equal', compared('equals', 'a', 'b')],
  ['unequal', compared('not equals', 'a', 'b')],
  ['contained', compared('contains', 'abc', 'b')],
  ['not contained', compared('contains', 'abc', 'x')],
  ['a beginning', compared('starts with', 'abc', 'ab')],
  ['an end', compared('ends with', 'abc', 'bc')],
  ['a pattern', compared('regex', 'abc1', '[a-z]+\\d')],
  ['a pattern from the beginning', compared('regex', 'x1', '\\d')],
  ['an invalid pattern', compared('regex', 'abc', '(')],
  ['greater', compared('greater than', '10', '9')],
  ['greater without a number', compared('greater than', 'x', '9')],
  ['less or equal', compared('less than or equal', '9.0', '9')],
  ['less', compared('less than', '1', '2')],
  ['greater or equal', compared('greater than or equal', '1', '2')],
  ['case', { ...compared('equals', 'A', 'a'), case_sensitive: false }],
  ['case that matters', { ...compared('equals', 'A', 'a'), case_sensitive: true }],
  ['an unknown operator', compared('like', 'a', 'a')],
  [
    'messages of wires',
    { operator: 'equals', input_text: 'a', match_text: 'a' },
    { true_case_message: message('t'), false_case_message: message('f') },
  ],
  ['one output', compared('equals', 'a', 'a'), {}, { outputs: ['true_result'] }],
  ['one output that is not taken', compared('equals', 'a', 'b'), {}, { outputs: ['true_result'] }],
]);

const rows = [data({ kind: 'a', n: 1 }), data({ kind: 'b' })];

export const dataConditionalRouter = casesOf('DataConditionalRouter', [
  [
    'equal',
    { key_name: 'kind', operator: 'equals', compare_value: 'a' },
    { data_input: several(data({ kind: 'a' })) },
  ],
  [
    'not equal',
    { key_name: 'kind', operator: 'equals', compare_value: 'x' },
    { data_input: several(data({ kind: 'a' })) },
  ],
  [
    'unequal',
    { key_name: 'kind', operator: 'not equals', compare_value: 'x' },
    { data_input: several(data({ kind: 'a' })) },
  ],
  [
    'contained',
    { key_name: 'kind', operator: 'contains', compare_value: 'b' },
    { data_input: several(data({ kind: 'abc' })) },
  ],
  [
    'a beginning',
    { key_name: 'kind', operator: 'starts with', compare_value: 'ab' },
    { data_input: several(data({ kind: 'abc' })) },
  ],
  [
    'an end',
    { key_name: 'kind', operator: 'ends with', compare_value: 'bc' },
    { data_input: several(data({ kind: 'abc' })) },
  ],
  [
    'a truth',
    { key_name: 'kind', operator: 'boolean validator', compare_value: '' },
    { data_input: several(data({ kind: true })) },
  ],
  [
    'a text of truth',
    { key_name: 'kind', operator: 'boolean validator', compare_value: '' },
    { data_input: several(data({ kind: 'Yes' })) },
  ],
  [
    'a number',
    { key_name: 'n', operator: 'equals', compare_value: '1' },
    { data_input: several(data({ n: 1 })) },
  ],
  [
    'a missing key',
    { key_name: 'none', operator: 'equals', compare_value: '1' },
    { data_input: several(data({ n: 1 })) },
  ],
  [
    'a list',
    { key_name: 'kind', operator: 'equals', compare_value: 'a' },
    { data_input: several(...rows) },
    {
      difference: {
        at: 'outputs.false_output',
        native: [{ $data: { data: { kind: 'b' }, text_key: 'text', default: '' } }],
        python: '<absent>',
        reason: 'lfx drops the items of the other side (docs/components/flow-control.md#condition).',
      },
    },
  ],
  [
    'a list without a match',
    { key_name: 'kind', operator: 'equals', compare_value: 'x' },
    { data_input: several(...rows) },
  ],
]);

export const pass = casesOf('Pass', [
  ['a message', {}, { input_message: message('in') }],
  ['a text', { input_message: 'in' }],
  ['both', { ignored_message: 'no' }, { input_message: message('in', { files: ['a/b.txt'] }) }],
]);

const noListeners = failsDifferently(
  'Notify',
  null,
  'A component that runs in Python cannot start the Listen components of a key.',
  'Listeners are vertices of the executor. The stock Notify always runs natively.',
);

export const notify = casesOf('Notify', [
  ['a value', { context_key: 'k' }, { input_value: data({ a: 1 }) }, noListeners],
  ['a message', { context_key: 'k' }, { input_value: message('x') }, noListeners],
  ['a text', { context_key: 'k' }, { input_value: 'plain' }, noListeners],
  ['appended', { context_key: 'k', append: true }, { input_value: data({ a: 1 }) }, noListeners],
]);

export const listen = casesOf('Listen', [
  ['without a notification', { context_key: 'k' }],
  ['without a key', {}],
]);
