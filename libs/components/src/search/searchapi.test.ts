import { describeSearchEngine } from './search-engine.contract';
import {
  createSearchApiHandler,
  engineKey,
  startEngine,
} from '../integrations/search-engines/search-engines-server.fixture';
import { outputOf } from '../testing/node-output.fixture';

describeSearchEngine({
  type: 'SearchComponent',
  host: 'www.searchapi.io',
  handler: createSearchApiHandler,
  keyField: 'api_key',
  limitField: 'max_results',
  formerType: 'SearchAPI',
  toolName: 'search_api',
  refusal: 'SearchApi answered with status 401 Unauthorized: Invalid API key',
});

test('truncates titles and snippets, and passes on parameters', async () => {
  const service = await startEngine(createSearchApiHandler);
  const values = {
    api_key: engineKey,
    input_value: 'danube',
    engine: 'bing',
    max_snippet_length: 3,
    search_params: { location: 'Vienna' },
  };
  expect(await outputOf('SearchComponent', values, { 'www.searchapi.io': service })).toMatchObject([
    { title: 'Riv', snippet: 'The', text: 'The Danube is a river of ten countries.' },
  ]);
  expect(service.asked[0]?.query.toString()).toBe('engine=bing&q=danube&location=Vienna');
  await service.close();
});
