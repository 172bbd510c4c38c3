import { edge, failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import type { RunOptions, RunUnderTest } from '../testing/flow-under-test.fixture';
import {
  fakeHandler,
  fetchFrom,
  serviceForEachTest,
  startFakeService,
} from '../integrations/http/fake-service.fixture';
import { openModelServerForEachTest, refuse, streamText } from '../integrations/openai/openai-server.fixture';

const server = openModelServerForEachTest();
const openRouter = serviceForEachTest(() =>
  startFakeService(
    fakeHandler(({ path }) =>
      path === '/api/v1/models'
        ? { json: { data: [{ id: 'vendor/big-one', name: 'Vendor: Big One', context_length: 9000 }] } }
        : { status: 404 },
    ),
  ),
);

const select = (
  show = 'output',
  values: Readonly<Record<string, unknown>> = {},
  routes = true,
  options: RunOptions = {},
): Promise<RunUnderTest> => {
  const model = (id: string, model_name: string): unknown =>
    node(id, 'OpenAIModel', { model_name, api_key: 'a-key', openai_api_base: server.url });
  return runFlow(
    flow(
      [
        model('OpenAIModel-a', 'small-one'),
        model('OpenAIModel-b', 'big-one'),
        model('OpenAIModel-j', 'judge'),
        node('Selector-s', 'LLMRouterComponent', { input_value: 'A hard question', ...values }),
        node('ChatOutput-z', 'ChatOutput'),
        node('TextOutput-t', 'TextOutput'),
      ],
      [
        edge('OpenAIModel-a', 'model_output', 'Selector-s', 'models'),
        edge('OpenAIModel-b', 'model_output', 'Selector-s', 'models'),
        edge('OpenAIModel-j', 'model_output', 'Selector-s', 'judge_llm'),
        edge('Selector-s', show, 'ChatOutput-z', 'input_value'),
        ...(routes ? [edge('Selector-s', 'output', 'TextOutput-t', 'input_value')] : []),
      ],
    ),
    {
      fetch: (url, init) =>
        String(url instanceof Request ? url.url : url).startsWith(server.url)
          ? fetch(url, init)
          : fetchFrom({ 'openrouter.ai': openRouter })(url, init),
      ...options,
    },
  );
};
const asked = (): readonly string[] => server.requests.map(({ body }) => body.model);

test('calls the model that the judge selects, with the specifications of OpenRouter', async () => {
  server.answers.push(streamText('Index: 1'), streamText('The answer'));
  expect((await select()).text).toBe('The answer');
  expect(asked()).toEqual(['judge', 'big-one']);
  const question = server.requests[0]?.body.messages[1]?.content ?? '';
  expect(question).toContain('"context_length": 9000');
  expect(question).toContain('Full specifications not found in cache.');
});

test('explains its decision', async () => {
  server.answers.push(streamText('1'), streamText('The answer'));
  const { text } = await select('routing_decision');
  expect(text).toContain('- Selected API Model ID (if resolved): vendor/big-one');
  expect(text).toContain('- Specifications Source: OpenRouter API');
});

test.each([
  ['routing_decision', 'No routing decision made yet - run the router first.'],
  ['selected_model_info', 'No model selected yet - run the router first.'],
])('without its output, %s says that nothing was routed', async (show, text) => {
  expect((await select(show, {}, false)).text).toContain(text);
  expect(asked()).toEqual([]);
});

test('an index that no model has selects the first one', async () => {
  server.answers.push(streamText('17'), streamText('The answer'));
  await select('output', { use_openrouter_specs: false });
  expect(asked()).toEqual(['judge', 'small-one']);
  expect(openRouter.asked).toEqual([]);
});

test('a judge that fails selects the first model, unless the author wants the error', async () => {
  server.answers.push(refuse(400, { message: 'No such judge' }), streamText('The answer'));
  expect((await select('routing_decision')).text).toContain(
    "- Error During Routing: Error code: 400 - {'error': {'message': 'No such judge'}}",
  );
  server.answers.push(refuse(400, { message: 'No such judge' }));
  expect(await failureOf(select('output', { fallback_to_first: false }))).toContain('No such judge');
});

test('logs its steps', async () => {
  server.answers.push(streamText('17'), streamText('The answer'));
  const { result } = await select('output', {}, true, { show: 'Selector-s' });
  const lines = result?.logs['output'] as readonly { readonly name: string; readonly message: string }[];
  const unlisted =
    "Could not map Langflow model name 'small-one' (tried variants: ['small-one', 'smallone']) to an OpenRouter API ID.";
  expect(lines.map(({ name, message }) => `${name}: ${message}`)).toEqual([
    'Log 1: Starting model routing with 2 available Langflow models.',
    'Log 2: Optimization preference: balanced',
    'Log 3: Input length: 15 characters',
    'Log 4: Fetching all model specifications from OpenRouter API: https://openrouter.ai/api/v1/models',
    'Log 5: Successfully fetched and cached 1 model specifications from OpenRouter.',
    `Log 6: ${unlisted}`,
    "Log 7: No cached API data found for Langflow model 'small-one' (mapped API ID: None). Returning basic info.",
    "Log 8: Prepared specs for Langflow model 0 ('small-one'): small-one",
    "Log 9: Prepared specs for Langflow model 1 ('big-one'): Vendor: Big One",
    'Log 10: Estimated input tokens: 3',
    'Log 11: Requesting model selection from judge LLM...',
    'warning: Judge LLM selected index 17 is out of bounds (0-1). Defaulting to index 0.',
    `Log 13: ${unlisted}`,
    "Log 14: DECISION by Judge LLM: Selected model index 0 -> Langflow Name: 'small-one', API ID: 'small-one'",
  ]);
});
