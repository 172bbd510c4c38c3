import { failureOf, node } from '../testing/flow-under-test.fixture';
import { fetchFrom, serviceForEachTest } from '../integrations/http/fake-service.fixture';
import { outputOf } from '../testing/node-output.fixture';
import { callToolOf } from '../testing/tool-caller.fixture';
import { startYoutube } from '../integrations/youtube/youtube-server.fixture';

const server = serviceForEachTest(startYoutube);

const url = 'https://www.youtube.com/watch?v=millmillmil&t=1';
const read = (values: Readonly<Record<string, unknown>>, output?: string) =>
  outputOf('YouTubeTranscripts', { url, ...values }, { 'www.youtube.com': server }, output);

test('returns chunks of a minute, or of another length', async () => {
  expect(await read({})).toEqual([
    { timestamp: '00:00', text: 'A mill & a river turn' },
    { timestamp: '01:00', text: 'slowly.' },
  ]);
  expect(await read({ chunk_size_seconds: 30 })).toHaveLength(3);
});

test('returns the whole text, in another language on request', async () => {
  expect(await read({}, 'message')).toBe('A mill & a river turn slowly.');
  expect(await read({ language: 'fr, de' }, 'message')).toBe('Eine Mühle');
  expect(await read({ translation: 'es' }, 'data_output')).toMatchObject({
    video_url: url,
    transcript: 'es: A mill & a river es: turn es: slowly.',
  });
  // The text of the message before it is the status of this list, which is shown in its place.
  expect(await read({ transcript_format: 'text' }, 'transcripts')).toBe('A mill & a river turn slowly.');
});

test.each([
  ['https://youtu.be/silentsilen', 'Failed to get YouTube transcripts: silentsilen has none.'],
  ['https://youtu.be/unknownunkn', 'Failed to get YouTube transcripts: This video is unavailable'],
  ['https://a.test/', 'Could not determine the video ID for the URL https://a.test/'],
])('reports that %s has no transcript', async (video, error) => {
  expect(await read({ url: video })).toEqual([{ error }]);
  expect(await read({ url: video }, 'data_output')).toMatchObject({ transcript: '', error });
});

test('provides the tool of earlier versions', async () => {
  const options = { output: 'transcripts_tool', fetch: fetchFrom({ 'www.youtube.com': server }) };
  const { tools, result } = await callToolOf(node('Tube-a', 'YouTubeTranscriptsComponent'), { url }, options);
  expect(tools.map(({ name }) => name)).toEqual(['youtube_transcripts']);
  expect(result).toContain('A mill & a river turn');
});

test('reports an unreachable server', async () => {
  expect(await failureOf(outputOf('YouTubeTranscripts', { url }, {}))).toContain(
    'YouTube (www.youtube.com) could not be reached',
  );
});
