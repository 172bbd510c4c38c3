import { toolNode } from '../testing/tool-node.fixture';
import { failureOf } from '../testing/flow-under-test.fixture';
import { fetchFrom, serviceForEachTest } from '../integrations/http/fake-service.fixture';
import { outputOf } from '../testing/node-output.fixture';
import { callToolOf } from '../testing/tool-caller.fixture';
import {
  createAgentQlHandler,
  scraperKey,
  startScraper,
} from '../integrations/scrapers/scrapers-server.fixture';

const server = serviceForEachTest(() => startScraper(createAgentQlHandler));

const hosts = () => ({ 'api.agentql.com': server });
const ask = (values: Readonly<Record<string, unknown>>) =>
  outputOf('AgentQL', { api_key: scraperKey, url: 'https://a.test/', ...values }, hosts(), 'data');

test('returns the data that a query or a prompt extracts from a page', async () => {
  expect(await ask({ query: '{ mills[] }' })).toEqual({
    result: { asked: '{ mills[] }', of: 'https://a.test/' },
    metadata: { request_id: 'r-1' },
  });
  expect(await ask({ prompt: 'all mills' })).toMatchObject({ result: { asked: 'all mills' } });
});

test('is a tool', async () => {
  const node = toolNode('AgentQL-a', 'AgentQL', [], { api_key: scraperKey });
  const { tools, result } = await callToolOf(
    node,
    { url: 'https://b.test/', prompt: 'x' },
    { fetch: fetchFrom(hosts()) },
  );
  expect(tools.map(({ name }) => name)).toEqual(['agent_ql']);
  expect(result).toContain('"of": "https://b.test/"');
});

test.each([
  [{}, 'Either Query or Prompt must be provided.'],
  [{ query: 'a', prompt: 'b' }, "Both Query and Prompt can't be provided at the same time."],
  [{ query: 'a', api_key: 'wrong' }, 'AgentQL answered with status 401 Unauthorized: Invalid API key'],
  [{ query: 'a', wait_for: 11 }, 'AgentQL answered with status 422'],
])('%j fails', async (values, reason) => {
  expect(await failureOf(ask(values))).toContain(reason);
});
