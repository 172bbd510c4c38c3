import { failureOf, node } from '../testing/flow-under-test.fixture';
import { fetchFrom, serviceForEachTest } from '../integrations/http/fake-service.fixture';
import { callToolOf } from '../testing/tool-caller.fixture';
import { exaKey, startExa } from '../integrations/exa/exa-server.fixture';

const server = serviceForEachTest(startExa);

type Values = Readonly<Record<string, unknown>>;
const call = (tool: string, given: Values, values: Values = {}) =>
  callToolOf(node('Exa-a', 'ExaSearch', { metaphor_api_key: exaKey, ...values }), given, {
    output: 'tools',
    tool,
    fetch: fetchFrom({ 'api.exa.ai': server }),
  });

test('searches', async () => {
  const { tools, result } = await call('search', { query: 'danube' });
  expect(tools.map(({ name }) => name)).toEqual(['search', 'get_contents', 'find_similar']);
  expect(result).toContain('"title":"Rivers"');
  expect(
    (await call('search', { query: 'wind' }, { include_domains: 'a.test', category: 'news' })).result,
  ).toContain('Wind mills');
  expect(server.asked[1]?.json).toMatchObject({
    numResults: 5,
    includeDomains: ['a.test'],
    category: 'news',
    contents: { highlights: true },
  });
});

test('returns contents and similar pages', async () => {
  const { result } = await call('get_contents', { ids: ['https://mills.test/wind'] });
  expect(result).toContain('Wind mills');
  expect(result).not.toContain('Water mills');
  expect((await call('find_similar', { url: 'https://mills.test/wind' })).result).toContain('Water mills');
});

test('reports a wrong key and an invalid query', async () => {
  expect(await failureOf(call('search', { query: 'x' }, { metaphor_api_key: 'wrong' }))).toContain(
    'Exa answered with status 401',
  );
  expect(await failureOf(call('search', {}))).toContain("must have required property 'query'");
});
