import { startRedisSearchServer } from '../integrations/redis/redis-search-server.fixture';
import { dial, resourcesWith } from '../testing/run-resources.fixture';
import { failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { describeVectorStore } from './vector-store.contract';

describeVectorStore('Redis', {
  type: 'Redis',
  mismatch: /Redis refused FT\.SEARCH: .*blob size \(32\) does not match index's expected size \(104\)/,
  start: async () => {
    const server = await startRedisSearchServer();
    return {
      values: {
        redis_server_url: `redis://:right@127.0.0.1:${server.port}`,
        redis_index_name: 'pets',
      },
      resources: resourcesWith({ dial }),
      close: () => server.close(),
    };
  },
});

test.each([
  [{ redis_server_url: 'redis://host' }, 'Redis needs the name of an index.'],
  [{ redis_server_url: 'nonsense', redis_index_name: 'i' }, 'The Redis connection string is not valid'],
])('%j is an error', async (values, message) => {
  const document = flow([node('Store-s', 'Redis', { search_query: 'q', ...values })]);
  expect(await failureOf(runFlow(document, { show: 'Store-s' }))).toContain(message);
});
