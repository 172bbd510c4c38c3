import { failureOf } from '../testing/flow-under-test.fixture';
import { refuse, startModelServerUnderTest } from '../integrations/openai/openai-server.fixture';
import { describeEmbeddings, embedWith } from './embeddings.contract';

describeEmbeddings('OpenAIEmbeddings', {
  values: (url) => ({ model: 'some-model', openai_api_base: url, openai_api_key: 'key-of-a-field' }),
});

test('sends texts in batches of chunk_size, with all settings', async () => {
  const server = await startModelServerUnderTest();
  const values = {
    openai_api_base: server.url,
    openai_api_key: 'sk',
    dimensions: 2,
    chunk_size: 2,
    default_headers: { 'x-team': 'mill' },
    default_query: { version: 7 },
  };
  const { text } = await embedWith('OpenAIEmbeddings', values);
  expect(text).toHaveLength(3);
  expect(server.requests).toMatchObject([
    {
      path: '/v1/embeddings?version=7',
      headers: { 'x-team': 'mill' },
      body: { model: 'text-embedding-3-small', dimensions: 2, input: ['one', 'two'] },
    },
    { body: { input: ['one'] } },
  ]);
  expect(
    await failureOf(embedWith('OpenAIEmbeddings', { ...values, openai_proxy: 'http://proxy' })),
  ).toContain("Cannot specify 'openai_proxy'");
  await server.close();
});

test('reports the error of the provider, and a missing key', async () => {
  const server = await startModelServerUnderTest();
  server.answers.push(refuse(400, { message: 'too many words' }));
  const values = { openai_api_base: server.url, openai_api_key: 'sk' };
  expect(await failureOf(embedWith('OpenAIEmbeddings', values))).toContain('too many words');
  server.answers.push((response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}');
  });
  expect(await failureOf(embedWith('OpenAIEmbeddings', values))).toContain(
    'OpenAI did not return vectors, but: {"data":[]}',
  );
  expect(await failureOf(embedWith('OpenAIEmbeddings', { openai_api_key: '' }))).toContain(
    'OpenAI API key is required',
  );
  await server.close();
});
