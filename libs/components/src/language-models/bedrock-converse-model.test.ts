import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import type { RunUnderTest } from '../testing/flow-under-test.fixture';
import { bedrockKey, startBedrockServer } from '../integrations/bedrock/bedrock-server.fixture';
import { serviceForEachTest } from '../integrations/http/fake-service.fixture';

const service = serviceForEachTest(startBedrockServer);

const ask = (values: Readonly<Record<string, unknown>> = {}, stream = false): Promise<RunUnderTest> =>
  runFlow(
    flow(
      [
        node('ChatInput-a', 'ChatInput'),
        node('Model-m', 'AmazonBedrockConverseModel', {
          aws_access_key_id: bedrockKey.id,
          aws_secret_access_key: bedrockKey.secret,
          endpoint_url: service.url,
          stream,
          ...values,
        }),
        node('ChatOutput-z', 'ChatOutput'),
      ],
      [
        edge('ChatInput-a', 'message', 'Model-m', 'input_value'),
        edge('Model-m', 'text_output', 'ChatOutput-z', 'input_value'),
      ],
    ),
    { input: 'q', stream },
  );

test('sends the settings of the node, signed', async () => {
  expect((await ask({ aws_session_token: 'a-token', region_name: 'eu-west-1' })).text).toBe('You said q');
  expect(service.asked[0]).toMatchObject({
    path: '/model/anthropic.claude-3-5-sonnet-20241022-v2%3A0/converse',
    json: {
      messages: [{ role: 'user', content: [{ text: 'q' }] }],
      inferenceConfig: { maxTokens: 4096, temperature: 0.7, topP: 0.9 },
      additionalModelRequestFields: { top_k: 250 },
    },
  });
  const { authorization } = service.asked[0]?.headers ?? {};
  expect(authorization).toContain('/eu-west-1/bedrock/aws4_request');
  expect(authorization).not.toContain(bedrockKey.secret);
});

test('models of other providers get no top_k, but the additional fields', async () => {
  await ask({ model_id: 'amazon.nova-lite-v1:0', additional_model_fields: [{ key: 'value' }] });
  expect(service.asked[0]?.json).toMatchObject({ additionalModelRequestFields: { key: 'value' } });
});

test('streams, unless streaming is disabled', async () => {
  const tokens = ({ events }: RunUnderTest): number => events.filter(({ event }) => event === 'token').length;
  expect(tokens(await ask({}, true))).toBe(3);
  expect(service.asked[0]?.path).toMatch(/\/converse-stream$/);
  expect(tokens(await ask({ disable_streaming: true }, true))).toBe(1);
  expect(service.asked[1]?.path).toMatch(/\/converse$/);
});

test.each<[Readonly<Record<string, unknown>>, boolean, string]>([
  [{ aws_secret_access_key: 'other' }, false, 'An error occurred (InvalidSignatureException) when calling'],
  [
    { model_id: 'no.such-model' },
    false,
    'An error occurred (ValidationException) when calling the Converse operation: The provided model identifier is invalid.',
  ],
  [
    { model_id: 'no.such-model' },
    true,
    'An error occurred (ValidationException) when calling the ConverseStream operation',
  ],
  [{ model_id: 'broken.model' }, true, 'The model stopped.'],
  [{ aws_access_key_id: '' }, false, 'AWS Access Key ID'],
  [{ region_name: 'a.evil.test/' }, false, 'The AWS region "a.evil.test/" is not valid.'],
  [
    { aws_access_key_id: '', credentials_profile_name: 'default' },
    false,
    'A credentials profile of the host is not supported.',
  ],
])('%j (streamed: %p) fails with its reason', async (values, stream, message) => {
  expect(await failureOf(ask(values, stream))).toContain(message);
});
