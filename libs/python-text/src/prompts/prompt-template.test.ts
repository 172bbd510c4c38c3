import { Data, Message, parsePromptTemplate, PythonFormatError } from '../index';

test('replaces names by values, and does not parse the values', () => {
  const template = parsePromptTemplate('Tone {tone}: {{literal}} {q} / {q} []');
  expect(template.render({ tone: 'formal', q: '{tone} {x}' })).toBe(
    'Tone formal: {literal} {tone} {x} / {tone} {x} []',
  );
});

test('inserts the text of a Message and of a Data, and a list as Python prints it', () => {
  const template = parsePromptTemplate('{a}|{b}|{c}|{d}|{e}');
  expect(
    template.render({
      a: new Message({ text: 'hi' }),
      b: new Data({ text: 'T' }),
      c: new Data({ other: 1 }),
      d: [new Message({ text: "it's" }), new Data({ text: 'x' }), 2],
      e: { k: true },
    }),
  ).toBe("hi|T||[\"it's\", 'x', 2]|{'k': True}");
});

test.each([
  ['{a.b}', 'Variable names cannot contain attribute access (.) or indexing ([]).', 'ValueError'],
  ['{a[0]}', 'Variable names cannot contain attribute access (.) or indexing ([]).', 'ValueError'],
  ['{0}', 'cannot be all digits as they are interpreted as positional arguments.', 'ValueError'],
  ['{a:{b}}', 'Nested replacement fields are not allowed.', 'ValueError'],
  ['{a', "expected '}' before end of string", 'ValueError'],
  ['{missing}', "'missing'", 'KeyError'],
])('rejects %j when it is rendered', (template, message, kind) => {
  const parsed = parsePromptTemplate(template);
  const error = thrown(() => parsed.render({ a: 'A', b: '5' }));
  expect(error.kind).toBe(kind);
  expect(error.message).toContain(message);
});

test('the error names the rejected variable', () => {
  expect(thrown(() => parsePromptTemplate('{a.b}').render({})).message).toBe(
    "Invalid variable name 'a.b' in f-string template. " +
      'Variable names cannot contain attribute access (.) or indexing ([]).',
  );
});

test('mustache replaces plain tags only; a missing value is empty', () => {
  const template = parsePromptTemplate('Hi {{name}}, {single} stays{{missing}}{{none}}', { mustache: true });
  expect(template.render({ name: '{{missing}}', none: null, constructor: 'no' })).toBe(
    'Hi {{missing}}, {single} stays',
  );
});

test.each([
  [
    '{{#if}}',
    'Complex mustache syntax is not allowed. Only simple variable substitution like {{variable}} is permitted.',
  ],
  [
    '{{{x}}}',
    'Complex mustache syntax is not allowed. Only simple variable substitution like {{variable}} is permitted.',
  ],
  [
    '{{a b}}',
    'Invalid mustache variable: {{a b}}. Only simple variable names like {{variable}} are allowed.',
  ],
])('mustache rejects %j', (template, message) => {
  expect(thrown(() => parsePromptTemplate(template, { mustache: true }).render({})).message).toBe(message);
});

function thrown(action: () => unknown): PythonFormatError {
  try {
    action();
  } catch (error) {
    if (error instanceof PythonFormatError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
