import { failureOf } from '../testing/flow-under-test.fixture';
import { fetchFrom, serviceForEachTest } from '../integrations/http/fake-service.fixture';
import { startInferenceServer } from '../integrations/models/embedding-services.fixture';
import { embedWith } from './embeddings.contract';

const service = serviceForEachTest(startInferenceServer);

const embed = (values: Readonly<Record<string, unknown>>) =>
  embedWith('HuggingFaceInferenceAPIEmbeddings', values, {
    fetch: fetchFrom({ 'router.huggingface.co': service, 'embed.example': service }),
  });
const vectors = [
  [3, 111],
  [3, 116],
  [3, 111],
];

test('calls Hugging Face, even if a node contains the former address', async () => {
  const formerAddress = {
    inference_endpoint: 'https://api-inference.huggingface.co/models/',
    api_key: 'a-key',
  };
  expect((await embed(formerAddress)).text).toEqual(vectors);
  expect(service.asked[0]).toMatchObject({
    path: '/hf-inference/models/BAAI/bge-large-en-v1.5/pipeline/feature-extraction',
    json: { inputs: ['one', 'two', 'one'] },
  });
});

test('calls a self-hosted server, which may require no key', async () => {
  expect((await embed({ inference_endpoint: 'https://embed.example/' })).text).toEqual(vectors);
  expect((await embed({ inference_endpoint: '', api_url: 'https://embed.example' })).text).toEqual(vectors);
});

test('reports a missing key, and the error of the service for an invalid key', async () => {
  expect(await failureOf(embed({}))).toContain('Hugging Face API key is required');
  expect(await failureOf(embed({ api_key: 'no' }))).toContain('Invalid username or password.');
});
