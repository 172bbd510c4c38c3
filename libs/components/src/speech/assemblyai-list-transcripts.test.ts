import { outputOf } from '../testing/node-output.fixture';
import { assemblyAiKey, startAssemblyAi } from '../integrations/assemblyai/assemblyai-server.fixture';
import { afterTranscript } from './speech.fixture';

test('limits the number of listed transcripts', async () => {
  const server = await startAssemblyAi();
  const list = (values: object) =>
    outputOf(
      'AssemblyAIListTranscripts',
      { api_key: assemblyAiKey, ...values },
      { 'api.assemblyai.com': server },
      'transcript_list',
    );
  expect(await list({})).toEqual([]);
  for (const name of ['one', 'two'])
    await afterTranscript(server, { audio_file_url: `https://${name}.test/` }, null);
  expect(await list({})).toMatchObject([
    { data: { id: 't-1' } },
    { data: { audio_url: 'https://two.test/' } },
  ]);
  expect(await list({ limit: 1, status_filter: 'completed' })).toHaveLength(1);
  expect(server.asked.at(-1)?.query.toString()).toBe('limit=1&status=completed');
  await server.close();
});
