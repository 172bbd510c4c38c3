import { failureOf } from '../testing/flow-under-test.fixture';
import { outputOf } from '../testing/node-output.fixture';
import { assemblyAiKey, startAssemblyAi } from '../integrations/assemblyai/assemblyai-server.fixture';

test('returns the text of the speech at an address, or the error', async () => {
  const server = await startAssemblyAi();
  const transcribe = (audio_url: string) =>
    outputOf(
      'AssemblyAITranscriber',
      { api_key: assemblyAiKey, audio_url },
      { 'api.assemblyai.com': server },
      'transcript',
    );
  expect(await transcribe('https://a.test/b.mp3')).toBe('Words of https://a.test/b.mp3');
  expect(await failureOf(transcribe('https://broken.test/'))).toContain('AssemblyAI: Download error');
  await server.close();
});
