import { describeSearchEngine } from './search-engine.contract';
import { createSerpApiHandler } from '../integrations/search-engines/search-engines-server.fixture';

describeSearchEngine({
  type: 'Serp',
  host: 'serpapi.com',
  handler: createSerpApiHandler,
  keyField: 'serpapi_api_key',
  limitField: 'max_results',
  formerType: 'SerpAPI',
  toolName: 'serp_search_api',
  refusal: 'SerpApi answered with status 401 Unauthorized: Invalid API key: ***.',
});
