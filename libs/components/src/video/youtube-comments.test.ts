import {
  fakeHandler,
  fetchFrom,
  serviceForEachTest,
  startFakeService,
} from '../integrations/http/fake-service.fixture';
import type { FakeAnswer } from '../integrations/http/fake-service.fixture';
import { failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import type { RunUnderTest } from '../testing/flow-under-test.fixture';

const refuse = (code: number, message: string): FakeAnswer => ({
  status: code,
  json: { error: { code, message, errors: [{ message, domain: 'youtube' }] } },
});
const comment = (id: string, textDisplay: string): object => ({
  id,
  snippet: {
    authorDisplayName: `@${id}`,
    authorChannelUrl: `http://www.youtube.com/@${id}`,
    textDisplay,
    likeCount: 2,
    publishedAt: '2026-01-01T00:00:00Z',
    updatedAt: '2026-01-02T00:00:00Z',
  },
});
const thread = (number: number): object => ({
  kind: 'youtube#commentThread',
  snippet: { topLevelComment: comment(`c${number}`, `Comment ${number}`), totalReplyCount: 1 },
  replies: { comments: [comment(`c${number}.r`, 'A reply')] },
});

/** The comment threads of the YouTube Data API, version 3: 130 on one video. */
const createYoutubeDataHandler = () =>
  fakeHandler(({ path, method, query, headers }) => {
    if (method !== 'GET' || path !== '/youtube/v3/commentThreads') return refuse(404, 'Not Found');
    if (headers['x-goog-api-key'] !== 'yt-key') {
      return refuse(400, 'API key not valid. Please pass a valid API key.');
    }
    const count = Number(query.get('maxResults'));
    if (!(count >= 1 && count <= 100)) return refuse(400, 'Invalid value for maxResults.');
    if (
      query.get('part') !== 'snippet,replies' ||
      !['time', 'relevance'].includes(query.get('order') ?? '')
    ) {
      return refuse(400, 'Invalid argument.');
    }
    const video = query.get('videoId');
    if (video === 'silent') return refuse(403, 'The video has disabled comments.');
    if (video === 'empty') return { json: { items: [] } };
    if (video !== 'millmillmil') return refuse(404, 'The video cannot be found.');
    const from = Number(query.get('pageToken')?.slice(1) ?? 0);
    const items = Array.from({ length: Math.min(count, 130 - from) }, (_, index) => thread(from + index));
    const next = from + items.length;
    return { json: { items, ...(next < 130 ? { nextPageToken: `p${next}` } : {}) } };
  });

const service = serviceForEachTest(() => startFakeService(createYoutubeDataHandler()));

const url = 'https://www.youtube.com/watch?v=millmillmil&t=3';
const comments = (values: Readonly<Record<string, unknown>> = {}): Promise<RunUnderTest> =>
  runFlow(
    flow([node('Comments-c', 'YouTubeCommentsComponent', { video_url: url, api_key: 'yt-key', ...values })]),
    { show: 'Comments-c', fetch: fetchFrom({ 'youtube.googleapis.com': service }) },
  );

test('returns comments as a table', async () => {
  const { text } = await comments({ max_results: 1 });
  expect(text).toEqual([
    {
      video_id: 'millmillmil',
      video_url: url,
      comment_id: 'c0',
      parent_comment_id: '',
      is_reply: false,
      author: '@c0',
      author_channel_url: 'http://www.youtube.com/@c0',
      text: 'Comment 0',
      published_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-02T00:00:00Z',
      like_count: 2,
      reply_count: 1,
    },
  ]);
});

test('reads further pages up to the number of comments, and replies', async () => {
  expect((await comments({ max_results: 120 })).text).toHaveLength(120);
  expect(service.asked).toHaveLength(2);
  expect((await comments({ max_results: 500 })).text).toHaveLength(130);
  const { text } = await comments({ max_results: 1, include_replies: true, include_metrics: false });
  expect(text).toMatchObject([{ is_reply: false }, { is_reply: true, parent_comment_id: 'c0' }]);
  expect((text as object[])[0]).not.toHaveProperty('like_count');
});

test.each([
  ['https://youtu.be/silent', 'Comments are disabled for this video or API quota exceeded.'],
  ['https://www.youtube.com/shorts/other', 'Video not found.'],
])('%s gives a table with the error', async (video_url, error) => {
  expect((await comments({ video_url })).text).toEqual([{ error }]);
});

test('a wrong key is in no error; an empty one is an error of the run', async () => {
  expect((await comments({ api_key: 'other' })).text).toEqual([
    { error: 'YouTube API error: API key not valid. Please pass a valid API key.' },
  ]);
  expect(await failureOf(comments({ api_key: '' }))).toContain('YouTube API Key');
  expect((await comments({ video_url: 'empty' })).text).toEqual([]);
});
