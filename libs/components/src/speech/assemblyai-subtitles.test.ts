import { startAssemblyAi } from '../integrations/assemblyai/assemblyai-server.fixture';
import { afterTranscript } from './speech.fixture';
import { serviceForEachTest } from '../integrations/http/fake-service.fixture';

const server = serviceForEachTest(startAssemblyAi);

test.each([
  [
    {},
    {
      format: 'srt',
      subtitles: expect.stringContaining('00:00:01,000\nWords of https://a.test/') as unknown,
    },
  ],
  [
    { subtitle_format: 'vtt', chars_per_caption: 5 },
    { format: 'vtt', subtitles: 'WEBVTT\n\n00:00.000 --> 00:01.000\nWords' },
  ],
])('returns subtitles for %j', async (values, expected) => {
  const audio = { audio_file_url: 'https://a.test/' };
  const made = await afterTranscript(server, audio, { type: 'AssemblyAIGetSubtitles', values });
  expect(made).toMatchObject({ transcript_id: 't-1', ...expected });
});
