import { failureOf } from '../testing/flow-under-test.fixture';
import { bedrockKey, startBedrockServer } from '../integrations/bedrock/bedrock-server.fixture';
import { embedWith } from './embeddings.contract';
import { serviceForEachTest } from '../integrations/http/fake-service.fixture';

const service = serviceForEachTest(startBedrockServer);

const embed = (values: Readonly<Record<string, unknown>> = {}, purpose?: string) =>
  embedWith(
    'AmazonBedrockEmbeddings',
    {
      aws_access_key_id: bedrockKey.id,
      aws_secret_access_key: bedrockKey.secret,
      endpoint_url: service.url,
      ...values,
    },
    {},
    purpose,
  );

test('models of Amazon embed one text a call', async () => {
  expect((await embed()).text).toEqual([
    [3, 111],
    [3, 116],
    [3, 111],
  ]);
  expect(service.asked).toHaveLength(3);
  expect(service.asked[0]).toMatchObject({
    path: '/model/amazon.titan-embed-text-v1/invoke',
    json: { inputText: 'one' },
  });
});

test('models of Cohere embed several texts in a call and distinguish queries', async () => {
  const { text } = await embed({ model_id: 'cohere.embed-english-v3' }, 'query');
  expect(text).toEqual([
    [3, 111, 1],
    [3, 116, 1],
    [3, 111, 1],
  ]);
  expect(service.asked).toHaveLength(1);
});

test('reports the error of AWS', async () => {
  expect(await failureOf(embed({ model_id: 'no.such-model' }))).toContain(
    'An error occurred (ValidationException) when calling the InvokeModel operation: The provided model identifier',
  );
});
