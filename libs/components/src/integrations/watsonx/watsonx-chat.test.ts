import { flow, node, runFlow } from '../../testing/flow-under-test.fixture';
import { describeChatProtocol } from '../models/chat-protocol.contract';
import { startWatsonxServer } from './watsonx-server.fixture';
import type { WatsonxServer } from './watsonx-server.fixture';

describeChatProtocol({
  provider: 'IBM WatsonX',
  start: startWatsonxServer,
  variables: (_, key) => ({ WATSONX_APIKEY: key, WATSONX_PROJECT_ID: 'project' }),
  fetch: (service) => (service as WatsonxServer).fetch,
  usage: { input_tokens: 5, output_tokens: 3, total_tokens: 8 },
  wrongKey: 'IBM Cloud IAM answered with status 400 Bad Request: Provided API key could not be found.',
});

test('an agent calls the model with the endpoint, the project and the key of its node', async () => {
  const service = await startWatsonxServer();
  const values = {
    model: [{ name: 'ibm/granite-4-h-small', provider: 'IBM WatsonX', metadata: {} }],
    api_key: 'a-key',
    base_url_ibm_watsonx: 'https://us-south.ml.cloud.ibm.com',
    project_id: 'project',
    input_value: 'Moin',
    max_tokens: 0,
  };
  const { text } = await runFlow(flow([node('Agent-g', 'Agent', values)]), {
    show: 'Agent-g',
    fetch: service.fetch,
  });
  expect(text).toContain('You said Moin');
  expect(service.asked[1]).toMatchObject({
    path: '/ml/v1/text/chat',
    json: { model_id: 'ibm/granite-4-h-small', project_id: 'project' },
  });
  await service.close();
});
