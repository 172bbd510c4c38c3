import { defineComponent } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import { fetchFrom, serviceForEachTest } from '../integrations/http/fake-service.fixture';
import { startCohereServer } from '../integrations/models/embedding-services.fixture';
import { edge, failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import type { RunOptions } from '../testing/flow-under-test.fixture';

const found = defineComponent({
  type: 'Found',
  displayName: 'Found',
  description: 'Gives the results of a search.',
  inputs: {},
  outputs: { results: { types: ['Data'] } },
  deterministic: true,
  run: () => ({
    results: ['a slow mill', 'a mill by a river', 'bread'].map((text, page) => new Data({ text, page })),
  }),
});

const service = serviceForEachTest(startCohereServer);

const rerank = (
  values: Readonly<Record<string, unknown>> = {},
  isConnected = true,
  options: RunOptions = {},
) =>
  runFlow(
    flow(
      [
        node('Found-f', 'Found'),
        node('Rerank-r', 'CohereRerank', {
          search_query: 'mill river',
          api_key: 'cohere-key',
          top_n: 2,
          ...values,
        }),
      ],
      isConnected ? [edge('Found-f', 'results', 'Rerank-r', 'search_results')] : [],
    ),
    {
      show: 'Rerank-r',
      extraComponents: [found],
      fetch: fetchFrom({ 'api.cohere.com': service }),
      ...options,
    },
  );

test('returns the most relevant texts with their metadata and their relevance', async () => {
  const { text } = await rerank();
  expect(text).toMatchObject([
    { data: { text: 'a mill by a river', page: 1, relevance_score: 1 } },
    { data: { text: 'a slow mill', page: 0, relevance_score: 0.5 } },
  ]);
  expect(service.asked[0]).toMatchObject({
    path: '/v2/rerank',
    headers: { authorization: 'Bearer cohere-key' },
    json: { model: 'rerank-english-v3.0', query: 'mill river', top_n: 2 },
  });
});

test('takes the key from the variable; without results nothing is called', async () => {
  await rerank({ api_key: '' }, true, { variables: { COHERE_API_KEY: 'stored' } });
  expect(service.asked[0]?.headers.authorization).toBe('Bearer stored');
  expect((await rerank({}, false)).text).toEqual([]);
  expect(service.asked).toHaveLength(1);
});

test.each([
  [{ api_key: 'wrong' }, 'Cohere answered with status 401 Unauthorized: invalid api token'],
  [{ model: 'embed-v4.0' }, 'Cohere answered with status 400'],
  [{ api_key: '' }, 'Cohere API Key is required'],
])('%j fails with its reason', async (values, message) => {
  expect(await failureOf(rerank(values))).toContain(message);
});
