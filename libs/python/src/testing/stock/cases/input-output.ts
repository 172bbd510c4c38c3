import type { PythonObject } from '@millrace/python-text';
import { casesOf, data, failsDifferently, message, table } from '../component-case';
import type { CaseRow, CaseSettings } from '../component-case';

export const chatInput = casesOf('ChatInput', [
  ['the input of the run', {}, {}, { input: 'Hello' }],
  ['a saved value', { input_value: 'saved' }],
  ['that is not stored', { should_store_message: false }, {}, { input: 'x' }],
  ['other names', { sender: 'Machine', sender_name: 'Bot' }, {}, { input: 'x' }],
  ['another session', { session_id: 'other' }, {}, { input: 'x' }],
  ['a context', { context_id: 'c1' }, {}, { input: 'x' }],
  ['an empty input', {}, {}, { input: '' }],
]);

const shown: Readonly<Record<string, NonNullable<CaseRow[2]>>> = {
  'a message': { input_value: message('hi') },
  'a message with files': { input_value: message('hi', { files: ['a/b.txt'] }) },
  'a text': { input_value: 'plain' },
  'a value': { input_value: data({ text: 'x', n: 1 }) },
  'a value without text': { input_value: data({ n: 1.0, l: [1, null] }) },
  'a table': { input_value: table({ a: 1, b: 'x' }, { a: 2, b: 'y|z' }) },
  'a list of values': { input_value: [data({ text: 'a' }), data({ text: 'b' })] },
  'a list of messages': { input_value: [message('a'), message('b')] },
  'an empty message': { input_value: message('') },
  'an empty table': { input_value: table() },
};

export const chatOutput = casesOf('ChatOutput', [
  ...Object.entries(shown).map(([name, wires]): CaseRow => [name, {}, wires]),
  ...Object.entries(shown).map(([name, wires]): CaseRow => [
    `${name}, not cleaned`,
    { clean_data: false },
    wires,
  ]),
  ['that is not stored', { should_store_message: false }, { input_value: message('hi') }],
  ['other names', { sender: 'User', sender_name: 'Cid' }, { input_value: message('hi') }],
  ['another session', { session_id: 'other' }, { input_value: message('hi') }],
  ['a context', { context_id: 'c' }, { input_value: message('hi') }],
]);

export const textInput = casesOf('TextInput', [
  ['a text', { input_value: 'x' }],
  ['an empty text', {}],
  ['an escaped newline', { input_value: 'a\\nb' }],
  ['a message', {}, { input_value: message('m') }],
]);

export const textOutput = casesOf('TextOutput', [
  ['a text', { input_value: 'x' }],
  ['a message', {}, { input_value: message('m') }],
  ['a value', {}, { input_value: data({ text: 'd' }) }],
]);

const notAnObject = (value: string, kind: string) =>
  failsDifferently(
    'Webhook',
    null,
    `1 validation error for JSON\ndata\n  Input should be a valid dictionary [type=dict_type, input_value=${value}, input_type=${kind}]\n    For further information visit https://errors.pydantic.dev/2.13/v/dict_type`,
    'A valid body does not fail the run (docs/use/compatibility.md).',
  );

export const webhook = casesOf('Webhook', [
  ['an object', { data: '{"a": 1, "b": [2.0]}' }],
  ['an empty text', { data: '' }],
  ['an array', { data: '[1]' }, {}, notAnObject('[1]', 'list')],
  ['no JSON', { data: 'nothing' }],
  ['a text', { data: '"x"' }, {}, notAnObject("'x'", 'str')],
]);

const prompts: readonly CaseRow[] = [
  ['a variable', { template: 'Hi {name}', name: 'Ann' }],
  ['no variables', { template: 'Hi' }],
  ['braces', { template: '{{x}} {name}', name: 'Ann' }],
  ['a missing variable', { template: '{name} {other}', name: 'Ann' }],
  ['a message', { template: 'Q: {q}' }, { q: message('why?') }],
  ['a value', { template: 'D: {d}' }, { d: data({ text: 'x', n: 1 }) }],
  ['a value without text', { template: 'D: {d}' }, { d: data({ n: 1 }) }],
  ['a table', { template: 'T: {t}' }, { t: table({ a: 1 }) }],
  ['a list of values', { template: 'L: {l}' }, { l: [data({ text: 'a' }), data({ text: 'b' })] }],
  ['an escaped newline', { template: 'a\\nb {x}', x: 'c\\nd' }],
  ['an empty template', { template: '' }],
  ['an unclosed brace', { template: '{x' }],
  ['double brackets', { template: 'Hi {{name}} {x}', use_double_brackets: true, name: 'Ann' }],
];

/** The settings of a prompt whose template lfx keeps in the message. */
function keepsTemplate({ template = '' }: PythonObject): CaseSettings {
  return {
    difference: {
      at: 'outputs.prompt.$message.extra.template',
      native: '<absent>',
      python: template,
      reason:
        'lfx keeps the template and its variables among the members of the message; no answer shows them.',
    },
  };
}

const failing: ReadonlySet<string> = new Set([
  'a missing variable',
  'an empty template',
  'an unclosed brace',
]);

export const prompt = casesOf(
  'Prompt',
  prompts.map(
    ([name, fields, wires = {}, settings = {}]) =>
      [name, fields, wires, failing.has(name) ? settings : keepsTemplate(fields)] as const,
  ),
);
