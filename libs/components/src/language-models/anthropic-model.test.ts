import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import { startAnthropicServer } from '../integrations/anthropic/anthropic-server.fixture';
import { serviceForEachTest } from '../integrations/http/fake-service.fixture';

const service = serviceForEachTest(startAnthropicServer);

test('sends the settings of the node', async () => {
  const values = {
    model_name: 'claude-3-7-sonnet-latest',
    api_key: 'a-key',
    base_url: service.url,
    max_tokens: 50,
    temperature: 0.5,
  };
  const document = flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('Model-m', 'AnthropicModel', values),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('ChatInput-a', 'message', 'Model-m', 'input_value'),
      edge('Model-m', 'text_output', 'ChatOutput-z', 'input_value'),
    ],
  );
  expect((await runFlow(document, { input: 'q' })).text).toBe('You said q');
  expect(service.asked[0]).toMatchObject({
    path: '/v1/messages',
    headers: { 'x-api-key': 'a-key' },
    json: {
      model: 'claude-3-7-sonnet-latest',
      max_tokens: 50,
      temperature: 0.5,
      messages: [{ role: 'user', content: 'q' }],
    },
  });
  expect(service.asked[0]?.headers).not.toHaveProperty('authorization');
  expect(service.asked[0]?.json).not.toHaveProperty('stream');
});

test('retries while the provider is overloaded, a limited number of times', async () => {
  let failures = 2;
  const busy: typeof fetch = (url, init) => {
    failures -= 1;
    return failures < 0 ? fetch(url, init) : Promise.resolve(new Response('{}', { status: 529 }));
  };
  const ask = () =>
    runFlow(
      flow([node('Model-m', 'AnthropicModel', { api_key: 'k', base_url: service.url, input_value: 'q' })]),
      { show: 'Model-m', fetch: busy },
    );
  expect((await ask()).text).toBe('You said q');
  failures = 4;
  expect(await failureOf(ask())).toContain('Error code: 529');
  expect(failures).toBe(1);
});

test('fails without a connection as the client of Anthropic', async () => {
  const broken: typeof fetch = () => Promise.reject(new TypeError('fetch failed'));
  const document = flow([node('Model-m', 'AnthropicModel', { api_key: 'k', input_value: 'q' })]);
  expect(await failureOf(runFlow(document, { show: 'Model-m', fetch: broken }))).toBe(
    'Error running graph: Error building Component Anthropic: \n\nConnection error.',
  );
});
