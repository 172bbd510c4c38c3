import { failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { bedrockKey, startBedrockServer } from '../integrations/bedrock/bedrock-server.fixture';

test('sends its keyword arguments as parameters of the Converse API', async () => {
  const service = await startBedrockServer();
  try {
    const ask = (values: Readonly<Record<string, unknown>>) =>
      runFlow(
        flow([
          node('Model-m', 'AmazonBedrockModel', {
            aws_access_key_id: bedrockKey.id,
            aws_secret_access_key: bedrockKey.secret,
            endpoint_url: service.url,
            input_value: 'q',
            ...values,
          }),
        ]),
        { show: 'Model-m' },
      );
    const model_kwargs = [{ temperature: '0.5' }, { max_tokens: 50 }, { top_k: 9 }];
    expect((await ask({ model_kwargs })).text).toBe('You said q');
    expect(service.asked[0]).toMatchObject({
      path: '/model/anthropic.claude-3-haiku-20240307-v1%3A0/converse',
      json: {
        inferenceConfig: { temperature: 0.5, maxTokens: 50 },
        additionalModelRequestFields: { top_k: 9 },
      },
    });
    expect(await failureOf(ask({ aws_secret_access_key: '' }))).toContain('AWS Secret Access Key');
  } finally {
    await service.close();
  }
});
