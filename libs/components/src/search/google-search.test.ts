import { describeSearchEngine } from './search-engine.contract';
import { createGoogleSearchHandler } from '../integrations/search-engines/search-engines-server.fixture';

describeSearchEngine({
  type: 'GoogleSearchAPICore',
  host: 'customsearch.googleapis.com',
  handler: createGoogleSearchHandler,
  keyField: 'google_api_key',
  values: { google_cse_id: 'engine-id' },
  limitField: 'k',
  output: 'results',
  formerType: 'GoogleSearchAPI',
  toolName: 'google_search',
  refusal: 'Google Search answered with status 400 Bad Request: API key not valid.',
});
