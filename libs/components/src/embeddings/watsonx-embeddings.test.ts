import { startWatsonxServer } from '../integrations/watsonx/watsonx-server.fixture';
import { embedWith } from './embeddings.contract';

test('exchanges the key for a token and sends the project', async () => {
  const service = await startWatsonxServer();
  const values = { model_name: 'ibm/slate', api_key: 'a-key', project_id: 'project' };
  const { text } = await embedWith('WatsonxEmbeddingsComponent', values, { fetch: service.fetch });
  expect(text).toEqual([
    [3, 111],
    [3, 116],
    [3, 111],
  ]);
  expect(service.asked[1]?.json).toEqual({
    model_id: 'ibm/slate',
    project_id: 'project',
    inputs: ['one', 'two', 'one'],
    parameters: { truncate_input_tokens: 200 },
  });
  await service.close();
});
