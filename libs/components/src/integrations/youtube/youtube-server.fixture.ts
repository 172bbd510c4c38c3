import { fakeHandler, startFakeService } from '../http/fake-service.fixture';
import type { FakeAnswer, FakeHandler, FakeRequest, FakeService } from '../http/fake-service.fixture';

const videos: Readonly<
  Record<
    string,
    readonly {
      readonly languageCode: string;
      readonly kind?: string;
      readonly lines: readonly (readonly [number, string])[];
    }[]
  >
> = {
  millmillmil: [
    { languageCode: 'en', kind: 'asr', lines: [[0, 'automatic']] },
    {
      languageCode: 'en',
      lines: [
        [0.5, 'A mill &amp;amp; a river'],
        [30, 'turn'],
        [61.2, 'slowly.'],
      ],
    },
    { languageCode: 'de', lines: [[0, 'Eine Mühle']] },
  ],
  silentsilen: [],
};

/** YouTube's video page, player API and captions. */
export function createYoutubeHandler(): FakeHandler {
  return fakeHandler((request) => {
    const { method, path, query } = request;
    if (path === '/watch')
      return {
        headers: { 'content-type': 'text/html' },
        text: '<script>ytcfg.set({"INNERTUBE_API_KEY": "inner-key"})</script>',
      };
    if (path === '/youtubei/v1/player' && method === 'POST') return player(request);
    return path === '/api/timedtext' ? captions(query) : { status: 404 };
  });
}

export function startYoutube(): Promise<FakeService> {
  return startFakeService(createYoutubeHandler());
}

function player({ query, json }: FakeRequest): FakeAnswer {
  const { videoId = '', context } = (json ?? {}) as {
    readonly videoId?: string;
    readonly context?: { readonly client?: { readonly clientName?: string } };
  };
  if (query.get('key') !== 'inner-key' || context?.client?.clientName === undefined)
    return { status: 400, json: { error: { code: 400, message: 'Request contains an invalid argument.' } } };
  const tracks = videos[videoId];
  if (tracks === undefined)
    return { json: { playabilityStatus: { status: 'ERROR', reason: 'This video is unavailable' } } };
  const captionTracks = tracks.map(({ lines: _lines, ...track }, index) => ({
    ...track,
    baseUrl: `https://www.youtube.com/api/timedtext?v=${videoId}&track=${index}&fmt=srv3`,
  }));
  return {
    json: {
      playabilityStatus: { status: 'OK' },
      ...(tracks.length === 0 ? {} : { captions: { playerCaptionsTracklistRenderer: { captionTracks } } }),
    },
  };
}

function captions(query: URLSearchParams): FakeAnswer {
  const track = videos[query.get('v') ?? '']?.[Number(query.get('track'))];
  if (track === undefined || query.has('fmt')) return { status: 404 };
  const language = query.get('tlang');
  const lines = track.lines.map(
    ([start, text]) =>
      `<text start="${start}" dur="2">${language === null ? text : `${language}: ${text}`}</text>`,
  );
  return {
    headers: { 'content-type': 'text/xml' },
    text: `<?xml version="1.0" encoding="utf-8" ?><transcript>${lines.join('')}</transcript>`,
  };
}
