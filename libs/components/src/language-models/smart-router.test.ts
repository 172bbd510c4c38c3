import { failureOf, flow, node, runFlow, wire } from '../flow-under-test.fixture';
import type { RunUnderTest } from '../flow-under-test.fixture';
import { say, startModelServerUnderTest } from './model-server.fixture';
import type { ModelServerUnderTest } from './model-server.fixture';

let server: ModelServerUnderTest;
beforeEach(async () => {
  server = await startModelServerUnderTest();
});
afterEach(() => server.close());

const routes = [
  { route_category: 'Praise', route_description: 'nice words', output_value: '' },
  { route_category: 'Blame', route_description: '', output_value: 'Sorry!' },
];
const outputs = ['category_1_result', 'category_2_result', 'default_result'];
const routing = (values: Record<string, unknown>): unknown =>
  flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('SmartRouter-r', 'SmartRouter', {
        model: [{ name: 'gpt-4o-mini', provider: 'OpenAI', metadata: {} }],
        routes,
        ...values,
      }),
      ...outputs.map((output) => node(`TextOutput-${output}`, 'TextOutput')),
    ],
    [
      wire('ChatInput-a', 'message', 'SmartRouter-r', 'input_text'),
      ...outputs.map((output) => wire('SmartRouter-r', output, `TextOutput-${output}`, 'input_value')),
    ],
  );
const send = (values: Record<string, unknown> = {}): Promise<RunUnderTest> =>
  runFlow(routing(values), {
    input: 'well done',
    variables: { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'sk-stored' },
  });

test('sends the text down the route that the model names, and no other', async () => {
  server.answers.push(say(' praise\n'));
  const { result, text } = await send();
  expect(text).toBe('well done');
  expect(result?.component_id).toBe('TextOutput-category_1_result');
  expect(server.asked[0]?.body.messages[0]?.content).toContain('- Praise: nice words\n- Blame\n');
});

test("a route's own text goes out in place of the input", async () => {
  server.answers.push(say('"Blame"'));
  const { result, text } = await send();
  expect([text, result?.component_id]).toEqual(['Sorry!', 'TextOutput-category_2_result']);
});

test('what fits no route goes nowhere, or where everything else goes', async () => {
  server.answers.push(say('NONE'), say('NONE'));
  expect((await send()).result).toBeUndefined();
  const { result, text } = await send({ enable_else_output: true });
  expect([text, result?.component_id]).toEqual(['well done', 'TextOutput-default_result']);
});

test("the author's instructions are filled in", async () => {
  server.answers.push(say('Praise'));
  await send({ custom_prompt: 'Prefer {routes} for {input_text}.' });
  expect(server.asked[0]?.body.messages[0]?.content).toContain('Prefer "Praise", "Blame" for well done.');
  expect(await failureOf(send({ custom_prompt: '{other}' }))).toContain('The instructions name "other"');
});
