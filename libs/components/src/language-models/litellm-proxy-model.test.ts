import { failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { openModelServerForEachTest, refuse, streamText } from '../integrations/openai/openai-server.fixture';
import { describeCompatibleModel } from './compatible-model.contract';

describeCompatibleModel('LiteLLMProxyModel', {
  baseUrlField: 'api_base',
  apiKeyField: 'api_key',
  path: '',
});

describe('the list of models of the proxy', () => {
  const server = openModelServerForEachTest();
  const ask = (values: Readonly<Record<string, unknown>> = {}) => {
    const given = { api_base: server.url, api_key: 'sk-virtual', model_name: 'small', input_value: 'q' };
    return runFlow(flow([node('Model-m', 'LiteLLMProxyModel', { ...given, ...values })]), {
      show: 'Model-m',
    });
  };
  const listed = (...ids: readonly string[]) =>
    server.answers.push((response) => response.end(JSON.stringify({ data: ids.map((id) => ({ id })) })));

  test('is asked for before the model is called', async () => {
    listed('small', 'large');
    server.answers.push(streamText('fine'));
    expect((await ask()).text).toBe('fine');
    expect(server.requests.map(({ path }) => path)).toEqual(['/v1/models', '/v1/chat/completions']);
    expect(server.requests[0]?.headers['authorization']).toBe('Bearer sk-virtual');
  });

  test('names the models when the one that was chosen is missing', async () => {
    listed('small', 'large');
    expect(await failureOf(ask({ model_name: 'other' }))).toContain(
      "Model 'other' not found on the LiteLLM Proxy. Available models: small, large",
    );
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    [401, 'Authentication failed. Check that your Virtual Key is valid and not expired.'],
    [404, "Model 'small' not found. Verify the model name."],
    [400, 'no such thing'],
  ])('a call that is refused with %d fails with words of its own', async (status, words) => {
    listed();
    server.answers.push(refuse(status, { message: 'no such thing' }));
    expect(await failureOf(ask())).toContain(`\n\n${words}`);
  });

  test('a proxy that refuses the key, or is not there, is not called', async () => {
    server.answers.push(refuse(401, { message: 'bad key' }));
    expect(await failureOf(ask())).toContain('Authentication failed.');
    const away = 'http://127.0.0.1:1/v1/';
    expect(await failureOf(ask({ api_base: away }))).toContain(
      'Could not connect to LiteLLM Proxy at http://127.0.0.1:1/v1. Verify the URL is correct',
    );
  });
});
