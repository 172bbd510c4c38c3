import { failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { startOllamaServer } from '../integrations/ollama/ollama-server.fixture';
import { describeCompatibleModel } from './compatible-model.contract';

describeCompatibleModel('OllamaModel', { baseUrlField: 'base_url', apiKeyField: 'api_key', path: '/v1' });

test('rejects an invalid address', async () => {
  const values = { base_url: 'http://my server', model_name: 'some-model', input_value: 'q' };
  const run = runFlow(flow([node('Model-m', 'OllamaModel', values)]), { show: 'Model-m' });
  expect(await failureOf(run)).toContain('The address of Ollama is not a web address.');
});

test("a setting that only Ollama's own API has is sent to it", async () => {
  const service = await startOllamaServer();
  try {
    const values = {
      model_name: 'llama',
      input_value: 'q',
      base_url: `${service.url}/v1`,
      num_ctx: 8192,
      num_gpu: 0,
      mirostat: 'Mirostat 2.0',
      mirostat_tau: 4.5,
      stop_tokens: 'END, STOP',
      max_tokens: 50,
    };
    const ask = (more: Readonly<Record<string, unknown>> = {}) =>
      runFlow(flow([node('Model-m', 'OllamaModel', { ...values, ...more })]), { show: 'Model-m' });
    expect((await ask()).text).toBe('You said q');
    expect(service.asked[0]).toMatchObject({ path: '/api/chat' });
    expect(service.asked[0]?.json).toEqual({
      model: 'llama',
      options: {
        mirostat: 2,
        mirostat_tau: 4.5,
        num_ctx: 8192,
        stop: ['END', 'STOP'],
        temperature: 0.1,
        num_predict: 50,
      },
      messages: [{ role: 'user', content: 'q' }],
      stream: false,
    });
    expect(await failureOf(ask({ model_name: 'missing' }))).toContain("model 'missing' not found");
  } finally {
    await service.close();
  }
});
