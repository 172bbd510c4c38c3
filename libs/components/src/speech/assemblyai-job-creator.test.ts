import { filesUnderTest } from '../testing/run-files.fixture';
import { startAssemblyAi } from '../integrations/assemblyai/assemblyai-server.fixture';
import { afterTranscript } from './speech.fixture';
import { serviceForEachTest } from '../integrations/http/fake-service.fixture';

const server = serviceForEachTest(startAssemblyAi);

test('starts a transcript of a stored file', async () => {
  const { resources } = filesUnderTest({ 'flow/speech.mp3': 'sound' });
  const made = await afterTranscript(server, { audio_file: 'flow/speech.mp3' }, null, { resources });
  expect(made).toMatchObject({ text: 'Words of https://cdn.assemblyai.com/upload/1' });
  expect(server.asked.map(({ method, path }) => `${method} ${path}`).slice(0, 2)).toEqual([
    'POST /v2/upload',
    'POST /v2/transcript',
  ]);
});

test('sends the settings of the node', async () => {
  const values = {
    audio_file_url: 'https://a.test/b.mp3',
    language_code: 'de',
    speakers_expected: '2',
    speaker_labels: true,
  };
  await afterTranscript(server, values, null);
  expect(server.asked[0]?.json).toEqual({
    audio_url: 'https://a.test/b.mp3',
    speech_model: 'best',
    language_detection: false,
    language_code: 'de',
    speaker_labels: true,
    speakers_expected: 2,
    punctuate: true,
    format_text: true,
  });
});

test.each([
  [{}, 'Error: Either an audio file or an audio URL must be specified'],
  [{ audio_file: 'flow/none.mp3' }, 'Error: Audio file not found'],
  [{ audio_file_url: 'https://a.test', speakers_expected: 'two' }, 'must be a valid integer'],
  [{ audio_file_url: 'nonsense' }, 'AssemblyAI answered with status 400'],
  [{ api_key: 'assembly-wrong', audio_file_url: 'https://a.test' }, 'API token *** missing/invalid'],
  [{ api_key: '', audio_file_url: 'https://a.test' }, 'AssemblyAI API Key is required'],
])('%j gives data with the error', async (values, reason) => {
  const { resources } = filesUnderTest({});
  const error = expect.stringContaining(reason) as unknown;
  expect(await afterTranscript(server, values, null, { resources })).toEqual({ error });
});
