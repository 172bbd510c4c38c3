import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import type { RunOptions, RunUnderTest } from '../testing/flow-under-test.fixture';
import { streamText, startModelServerUnderTest } from '../integrations/openai/openai-server.fixture';
import type { ModelServerUnderTest } from '../integrations/openai/openai-server.fixture';

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
      edge('ChatInput-a', 'message', 'SmartRouter-r', 'input_text'),
      ...outputs.map((output) => edge('SmartRouter-r', output, `TextOutput-${output}`, 'input_value')),
    ],
  );
const send = (
  values: Record<string, unknown> = {},
  show?: string,
  options: RunOptions = {},
): Promise<RunUnderTest> =>
  runFlow(routing(values), {
    ...options,
    ...(show === undefined ? {} : { show }),
    input: 'well done',
    variables: { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'sk-stored' },
  });

test('sends the text only to the route that the model names', async () => {
  server.answers.push(streamText(' praise\n'));
  const { result, text } = await send();
  expect(text).toBe('well done');
  expect(result?.component_id).toBe('TextOutput-category_1_result');
  expect(server.requests[0]?.body.messages[0]?.content).toContain('- Praise: nice words\n- Blame\n');
});

test.each([
  ['Praise', 'category_1_result', 'Categorized as Praise'],
  ['none', 'default_result', 'Routed to Else (no match) - using input as default'],
])('the answer %s is shown in the artifact of its output', async (answer, output, repr) => {
  server.answers.push(streamText(answer));
  const { result } = await send({ enable_else_output: true }, 'SmartRouter-r');
  expect(result?.artifacts).toMatchObject({ [output]: { repr } });
});

test('followers see an empty message at the outputs that are not taken', async () => {
  server.answers.push(streamText('Praise'));
  const built: { readonly id: string; readonly artifacts: unknown }[] = [];
  const watch = {
    begins: () => undefined,
    ended: (vertex: (typeof built)[number]) => void built.push(vertex),
  };
  await send({}, undefined, { watch });
  expect(built.find(({ id }) => id === 'SmartRouter-r')?.artifacts).toMatchObject({
    category_1_result: { raw: 'well done', type: 'text' },
    category_2_result: { raw: '', type: 'text' },
  });
});

test.each(['"Blame"', '"Blame".', '**blame**', '“Blame.”'])(
  "a route's own text replaces the input: %s",
  async (answer) => {
    server.answers.push(streamText(answer));
    const { result, text } = await send();
    expect([text, result?.component_id]).toEqual(['Sorry!', 'TextOutput-category_2_result']);
  },
);

test.each(['NONE', 'Praise'])(
  'the else output gives an empty text while it is switched off: %s',
  async (answer) => {
    server.answers.push(streamText(answer));
    const { text, result } = await send({}, 'TextOutput-default_result');
    expect([text, result?.component_id]).toEqual(['', 'TextOutput-default_result']);
  },
);

test('a text that fits no route goes to the else output', async () => {
  server.answers.push(streamText('NONE'));
  const { result, text } = await send({ enable_else_output: true });
  expect([text, result?.component_id]).toEqual(['well done', 'TextOutput-default_result']);
});

test("fills in the author's instructions", async () => {
  server.answers.push(streamText('Praise'));
  await send({ custom_prompt: 'Prefer {routes} for {input_text}.' });
  expect(server.requests[0]?.body.messages[0]?.content).toContain('Prefer "Praise", "Blame" for well done.');
  expect(await failureOf(send({ custom_prompt: '{other}' }))).toContain('The instructions name "other"');
});
