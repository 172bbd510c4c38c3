import { failureOf } from '../testing/flow-under-test.fixture';
import { startAssemblyAi } from '../integrations/assemblyai/assemblyai-server.fixture';
import { afterTranscript } from './speech.fixture';
import { serviceForEachTest } from '../integrations/http/fake-service.fixture';

const server = serviceForEachTest(startAssemblyAi);

test('polls until the transcript is ready', async () => {
  const made = await afterTranscript(server, { audio_file_url: 'https://a.test/b.mp3' }, null);
  expect(made).toMatchObject({ text: 'Words of https://a.test/b.mp3', id: 't-1', confidence: 0.9 });
  expect(server.asked.filter(({ method }) => method === 'GET')).toHaveLength(2);
});

test('gives the error of a transcript that fails, and fails when one outlasts the deadline of the run', async () => {
  expect(await afterTranscript(server, { audio_file_url: 'https://broken.test/' }, null)).toEqual({
    error: expect.stringContaining('Download error, unable to download') as unknown,
  });
  const slow = afterTranscript(server, { audio_file_url: 'https://a.test/' }, null, {
    timeoutMilliseconds: 45,
  });
  expect(await failureOf(slow)).not.toBe('');
});
