import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import { refuse, startModelServerUnderTest } from '../integrations/openai/openai-server.fixture';
import type { ModelServerUnderTest } from '../integrations/openai/openai-server.fixture';

let server: ModelServerUnderTest;
beforeAll(async () => {
  server = await startModelServerUnderTest();
});
afterAll(() => server.close());

test('sends every setting to the address in the field', async () => {
  const values = {
    openai_api_base: `${server.url}/?api-version=1`,
    api_key: 'sk-field',
    model_name: 'gpt-4o',
    temperature: 0.5,
    max_tokens: 7,
    seed: 3,
    json_mode: true,
    model_kwargs: { top_p: 0.9 },
    system_message: 'Answer in JSON.',
  };
  const document = flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('OpenAIModel-m', 'OpenAIModel', values),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('ChatInput-a', 'message', 'OpenAIModel-m', 'input_value'),
      edge('OpenAIModel-m', 'text_output', 'ChatOutput-z', 'input_value'),
    ],
  );
  expect((await runFlow(document, { input: 'q' })).text).toBe('Hello big world');
  expect(server.requests[0]).toMatchObject({
    path: '/v1/chat/completions?api-version=1',
    headers: { authorization: 'Bearer sk-field' },
    body: {
      model: 'gpt-4o',
      temperature: 0.5,
      max_completion_tokens: 7,
      seed: 3,
      top_p: 0.9,
      response_format: { type: 'json_object' },
    },
  });
});

test('reads the key from the field of older files', async () => {
  const values = { openai_api_base: server.url, openai_api_key: 'sk-former', input_value: 'fixed question' };
  const document = flow(
    [node('OpenAIModel-m', 'OpenAIModel', values), node('ChatOutput-z', 'ChatOutput')],
    [edge('OpenAIModel-m', 'text_output', 'ChatOutput-z', 'input_value')],
  );
  await runFlow(document);
  expect(server.requests.at(-1)).toMatchObject({
    headers: { authorization: 'Bearer sk-former' },
    body: { messages: [{ role: 'user', content: 'fixed question' }] },
  });
});

test('says of a bad request what the provider says', async () => {
  const values = { openai_api_base: server.url, api_key: 'sk-field', input_value: 'q' };
  const document = flow(
    [node('OpenAIModel-m', 'OpenAIModel', values), node('ChatOutput-z', 'ChatOutput')],
    [edge('OpenAIModel-m', 'text_output', 'ChatOutput-z', 'input_value')],
  );
  server.answers.push(refuse(400, { message: 'too long', type: 'invalid_request_error' }));
  expect(await failureOf(runFlow(document))).toBe(
    'Error running graph: Error building Component OpenAI: \n\ntoo long',
  );
});

test('sends no value of the process environment', async () => {
  const values = { openai_api_base: server.url, api_key: 'sk-field', input_value: 'q' };
  const document = flow(
    [node('OpenAIModel-m', 'OpenAIModel', values), node('ChatOutput-z', 'ChatOutput')],
    [edge('OpenAIModel-m', 'text_output', 'ChatOutput-z', 'input_value')],
  );
  const names = ['API_KEY', 'ADMIN_KEY', 'ORG_ID', 'PROJECT_ID', 'WEBHOOK_SECRET'];
  for (const name of names) process.env[`OPENAI_${name}`] = 'of-the-operator';
  process.env['OPENAI_CUSTOM_HEADERS'] = 'x-operator: of-the-operator';
  try {
    await runFlow(document);
  } finally {
    for (const name of [...names, 'CUSTOM_HEADERS']) Reflect.deleteProperty(process.env, `OPENAI_${name}`);
  }
  expect(server.requests.at(-1)).toMatchObject({ headers: { authorization: 'Bearer sk-field' } });
  expect(JSON.stringify(server.requests.at(-1))).not.toContain('of-the-operator');
});
