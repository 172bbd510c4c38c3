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
  withoutKey:
    'Error occurred while searching: 1 validation error for GoogleSerperAPIWrapper\n' +
    '  Value error, Did not find serper_api_key, please add an environment variable `SERPER_API_KEY` which contains it, ' +
    "or pass `serper_api_key` as a named parameter. [type=value_error, input_value={'serper_api_key': '', 'k': 4}, " +
    'input_type=dict]\n    For further information visit https://errors.pydantic.dev/2.13/v/value_error',
  refusal: 'Serper answered with status 403 Forbidden: Unauthorized.',
});
