import { edge, failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { openModelServerForEachTest } from '../integrations/openai/openai-server.fixture';

const server = openModelServerForEachTest();

const chain = (values: Readonly<Record<string, unknown>> = {}): unknown =>
  flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('Prompt-p', 'PromptTemplate', { template: 'Translate: {user_input}', user_input: '', ...values }),
      node('OpenAIModel-m', 'OpenAIModel', { api_key: 'a-key', openai_api_base: server.url }),
      node('LLMChain-c', 'LLMChain'),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('ChatInput-a', 'message', 'Prompt-p', 'user_input'),
      edge('Prompt-p', 'prompt', 'LLMChain-c', 'prompt'),
      edge('OpenAIModel-m', 'model_output', 'LLMChain-c', 'llm'),
      edge('LLMChain-c', 'response', 'ChatOutput-z', 'input_value'),
    ],
  );

test('sends the prompt to the connected model', async () => {
  expect((await runFlow(chain(), { input: 'Moin' })).text).toBe('Hello big world');
  expect(server.requests).toHaveLength(1);
  expect(server.requests[0]?.body.messages).toEqual([{ role: 'user', content: 'Translate: Moin' }]);
});

test('needs a model', async () => {
  const document = flow([node('LLMChain-c', 'LLMChain', { prompt: 'q' })]);
  expect(await failureOf(runFlow(document, { show: 'LLMChain-c' }))).toContain('model');
});
