import { edge, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { openModelServerForEachTest } from '../integrations/openai/openai-server.fixture';

const server = openModelServerForEachTest();

test.each([
  ['OpenAI', 'api_key'],
  ['ChatOpenAI', 'openai_api_key'],
])('%s sends its prompt with the key of its field %s', async (type, keyField) => {
  const values = { model_name: 'gpt-4o', [keyField]: 'old-key', temperature: 0.3, max_tokens: 2000 };
  const document = flow(
    [
      node('Prompt-p', 'PromptTemplate', { template: 'Say hello' }),
      node('OpenAI-m', type, { ...values, openai_api_base: server.url }),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('Prompt-p', 'prompt', 'OpenAI-m', 'prompt'),
      edge('OpenAI-m', 'text_output', 'ChatOutput-z', 'input_value'),
    ],
  );
  expect((await runFlow(document)).text).toBe('Hello big world');
  expect(server.requests[0]).toMatchObject({
    headers: { authorization: 'Bearer old-key' },
    body: {
      model: 'gpt-4o',
      max_completion_tokens: 2000,
      temperature: 0.3,
      messages: [{ role: 'user', content: 'Say hello' }],
    },
  });
});

test('takes the key from the variable', async () => {
  const document = flow([node('OpenAI-m', 'OpenAI', { prompt: 'q', openai_api_base: server.url })]);
  await runFlow(document, { show: 'OpenAI-m', variables: { OPENAI_API_KEY: 'sk-stored' } });
  expect(server.requests[0]).toMatchObject({
    headers: { authorization: 'Bearer sk-stored' },
    body: { model: 'gpt-4o-mini' },
  });
});
