import { failureOf, flow, node, runFlow, wire } from '../flow-under-test.fixture';

const prompt = (values: Record<string, unknown>, type = 'Prompt'): unknown =>
  flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('Prompt-p', type, { question: '', ...values }),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      wire('ChatInput-a', 'message', 'Prompt-p', 'question'),
      wire('Prompt-p', 'prompt', 'ChatOutput-z', 'input_value'),
    ],
  );

test.each(['Prompt', 'Prompt Template', 'PromptComponent', 'PromptTemplate'])(
  '%s fills the gaps of its template',
  async (type) => {
    const document = prompt(
      { template: 'Tone {tone}: {{literal}} {question} [{missing}]', tone: 'formal', missing: '' },
      type,
    );
    expect((await runFlow(document, { input: 'why?' })).text).toBe('Tone formal: {literal} why? []');
  },
);

test('values are not read as templates', async () => {
  expect((await runFlow(prompt({ template: '{question}' }), { input: '{tone} {x}' })).text).toBe(
    '{tone} {x}',
  );
});

test('with double brackets single ones are text', async () => {
  const document = prompt({
    template: 'Hi {{question}}, {single} {{unknown}}stays',
    use_double_brackets: true,
  });
  expect((await runFlow(document, { input: 'Eva' })).text).toBe('Hi Eva, {single} stays');
});

test.each([
  ['{nobody}', "'nobody'"],
  [
    '{question.text}',
    "Invalid variable name 'question.text' in f-string template. Variable names cannot contain attribute access (.) or indexing ([]).",
  ],
  ['{question', "expected '}' before end of string"],
  ['{constructor}', "'constructor'"],
])('refuses the template %s', async (template, reason) => {
  const run = runFlow(prompt({ template }), { input: 'x' });
  expect(await failureOf(run)).toBe(
    `Error running graph: Error building Component Prompt Template: \n\n${reason}`,
  );
});

test('a variable that a tweak gives beats the saved one', async () => {
  const document = prompt({ template: '{tone} {question}', tone: 'saved' });
  const tweaks = { 'Prompt-p': { tone: 'tweaked', template: '<{tone}> {question}' } };
  expect((await runFlow(document, { input: 'q', tweaks })).text).toBe('<tweaked> q');
});
