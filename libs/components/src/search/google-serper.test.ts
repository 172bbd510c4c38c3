import { describeSearchEngine } from './search-engine.contract';
import { createSerperHandler } from '../integrations/search-engines/search-engines-server.fixture';

describeSearchEngine({
  type: 'GoogleSerperAPICore',
  host: 'google.serper.dev',
  handler: createSerperHandler,
  keyField: 'serper_api_key',
  limitField: 'k',
  output: 'results',
  formerType: 'GoogleSerperAPI',
  toolName: 'google_search',
  refusal: 'Serper answered with status 403 Forbidden: Unauthorized.',
});
