import { outputOf } from '../testing/node-output.fixture';
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

test.each([
  ['google_api_key', 'Invalid Google API Key'],
  ['google_cse_id', 'Invalid Google CSE ID'],
])('gives a row with the error without %s', async (field, error) => {
  const values = { google_api_key: 'key', google_cse_id: 'engine-id', input_value: 'mill', [field]: '' };
  expect(await outputOf('GoogleSearchAPICore', values, {}, 'results')).toEqual([{ error }]);
});
