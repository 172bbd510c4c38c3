import { describeChatProtocol } from '../chat-protocol.contract';
import { startWatsonxServer } from '../watsonx-server.fixture';
import type { WatsonxServer } from '../watsonx-server.fixture';

describeChatProtocol({
  provider: 'IBM WatsonX',
  start: startWatsonxServer,
  variables: (_, key) => ({ WATSONX_APIKEY: key, WATSONX_PROJECT_ID: 'project' }),
  fetch: (service) => (service as WatsonxServer).fetch,
  usage: { input_tokens: 5, output_tokens: 3, total_tokens: 8 },
  wrongKey: 'IBM Cloud IAM answered with status 400 Bad Request: Provided API key could not be found.',
});
