import { failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { fetchFrom, serviceForEachTest } from '../integrations/http/fake-service.fixture';
import { callToolOf } from '../testing/tool-caller.fixture';
import { needleKey, startNeedle } from '../integrations/needle/needle-server.fixture';

const server = serviceForEachTest(startNeedle);

type Values = Readonly<Record<string, unknown>>;
const needle = (values: Values): unknown =>
  node('needle-a', 'needle', { needle_api_key: needleKey, collection_id: 'clt 1', ...values });
const world = () => ({ fetch: fetchFrom({ 'search.needle-ai.com': server }) });
const searching = async (values: Values): Promise<unknown> =>
  (await runFlow(flow([needle(values)]), { ...world(), show: 'needle-a' })).text;

test('finds passages in a collection', async () => {
  expect(await searching({ query: 'grinds grain', top_k: 3 })).toBe(
    'Question: grinds grain\n\nContext:\n' +
      'Document 1:\nA water mill grinds grain at a river.\n\n' +
      'Document 2:\nA wind mill grinds grain on a hill.',
  );
  expect(server.asked[0]).toMatchObject({
    path: '/api/v1/collections/clt%201/search',
    json: { text: 'grinds grain', top_k: 20 },
  });
  expect(await searching({ query: 'ships' })).toBe('No relevant documents found for the query.');
});

test('is a tool with the query as its argument', async () => {
  const { tools, result } = await callToolOf(needle({ tool_mode: true }), { query: 'danube' }, world());
  expect(tools.map(({ name }) => name)).toEqual(['needle_component']);
  expect(result).toContain('The Danube is a river of ten countries.');
});

test('reports missing settings and rejected keys', async () => {
  const failure = (values: Values): Promise<string> => failureOf(searching({ query: 'x', ...values }));
  expect(await failure({ query: ' ' })).toContain('The query cannot be empty.');
  expect(await failure({ collection_id: ' ' })).toContain('The Collection ID cannot be empty.');
  expect(await failure({ needle_api_key: 'wrong' })).toContain('Needle answered with status 401');
  expect(await failure({ needle_api_key: 'wrong' })).not.toContain('wrong');
});
