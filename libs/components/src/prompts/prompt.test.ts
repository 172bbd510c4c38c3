import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import { toolNode } from '../testing/tool-node.fixture';
import { callToolOf } from '../testing/tool-caller.fixture';

const prompt = (values: Record<string, unknown>, type = 'Prompt'): unknown =>
  flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('Prompt-p', type, { question: '', ...values }),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('ChatInput-a', 'message', 'Prompt-p', 'question'),
      edge('Prompt-p', 'prompt', 'ChatOutput-z', 'input_value'),
    ],
  );

test.each(['Prompt', 'Prompt Template', 'PromptComponent', 'PromptTemplate'])(
  '%s fills in its template',
  async (type) => {
    const document = prompt(
      { template: 'Tone {tone}: {{literal}} {question} [{missing}]', tone: 'formal', missing: '' },
      type,
    );
    expect((await runFlow(document, { input: 'why?' })).text).toBe('Tone formal: {literal} why? []');
  },
);

test('values are not interpreted as templates', async () => {
  expect((await runFlow(prompt({ template: '{question}' }), { input: '{tone} {x}' })).text).toBe(
    '{tone} {x}',
  );
});

test('with double brackets, single ones are text', async () => {
  const document = prompt({
    template: 'Hi {{question}}, {single} {{unknown}}stays',
    use_double_brackets: true,
  });
  expect((await runFlow(document, { input: 'Eva' })).text).toBe('Hi Eva, {single} stays');
});

test.each([
  ['{missing}', "'missing'"],
  [
    '{question.text}',
    "Invalid variable name 'question.text' in f-string template. Variable names cannot contain attribute access (.) or indexing ([]).",
  ],
  ['{question', "expected '}' before end of string"],
  ['{constructor}', "'constructor'"],
  [
    '{"a": 1}',
    `'"a"': the template has this placeholder, and there is no variable of its name. Write {{ and }} for braces that are text.`,
  ],
])('rejects the template %s', async (template, reason) => {
  const run = runFlow(prompt({ template }), { input: 'x' });
  expect(await failureOf(run)).toBe(
    `Error running graph: Error building Component Prompt Template: \n\n${reason}`,
  );
});

test.each([
  [false, 'expected str, got NoneType'],
  [true, "expected string or bytes-like object, got 'NoneType'"],
])('fails without a template, with double brackets: %j', async (use_double_brackets, reason) => {
  expect(await failureOf(runFlow(prompt({ template: '', use_double_brackets }), { input: 'x' }))).toBe(
    `Error running graph: Error building Component Prompt Template: \n\nError running method "build_prompt": ${reason}`,
  );
});

test('a tweak of a variable overrides the saved value', async () => {
  const document = prompt({ template: '{tone} {question}', tone: 'saved' });
  const tweaks = { 'Prompt-p': { tone: 'tweaked', template: '<{tone}> {question}' } };
  expect((await runFlow(document, { input: 'q', tweaks })).text).toBe('<tweaked> q');
});

test('gives a model that calls it without a template the error alone', async () => {
  await expect(callToolOf(toolNode('Prompt-t', 'Prompt'), {})).rejects.toThrow(
    /\n\nexpected str, got NoneType$/,
  );
});
