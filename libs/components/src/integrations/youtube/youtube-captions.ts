import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { PythonObject } from '@millrace/python-text';
import { callJson, callText } from '../http/call-service';
import { objectsMember, textMember } from '../http/json-members';
import { htmlWords } from '../../parsing/markup/html-text';
import { elements, parseHtml, parseXml, texts } from '../../parsing/markup/markup';
import { browserHeaders } from '../http/browser-headers';

/** A line of a video's captions. */
export interface Caption {
  readonly startSeconds: number;
  readonly text: string;
}

export interface CaptionQuery {
  /** The video's address or its id. */
  readonly video: string;
  /** Preferred languages, in order; English unless one is given. */
  readonly languages: readonly string[];
  /** The language to translate to; empty for none. */
  readonly translation: string;
}

/** Returns the captions of a video, from the interface of YouTube's own player. Throws when a video has none. */
export async function youtubeCaptions(
  { video, languages, translation }: CaptionQuery,
  context: ComponentContext,
): Promise<readonly Caption[]> {
  const id = videoId(video);
  const tracks = await captionTracks(id, context);
  const track = chosenTrack(tracks, languages);
  const address = textMember(track ?? null, 'baseUrl');
  if (!URL.canParse(address)) throw new ComponentError(`Failed to get YouTube transcripts: ${id} has none.`);
  const url = new URL(address);
  url.searchParams.delete('fmt');
  if (translation !== '') url.searchParams.set('tlang', translation);
  const xml = await callText({ service: 'YouTube', url: url.href, headers: browserHeaders }, context);
  const lines = elements(await parseXml(xml, context.signal), ({ name }) => name === 'text');
  return Promise.all(
    lines.map(async (line) => ({
      startSeconds: Number(line.attribs['start'] ?? 0),
      // The text inside the XML is escaped HTML.
      text: htmlWords(await parseHtml(texts(line).join(''), context.signal)).replace(/\s+/g, ' '),
    })),
  );
}

async function captionTracks(id: string, context: ComponentContext): Promise<readonly PythonObject[]> {
  const watch = {
    service: 'YouTube',
    url: 'https://www.youtube.com/watch',
    query: { v: id },
    headers: browserHeaders,
  };
  const key = /"INNERTUBE_API_KEY":\s*"([\w-]+)"/.exec(await callText(watch, context))?.[1];
  if (key === undefined)
    throw new ComponentError('Failed to get YouTube transcripts: YouTube did not provide an access key.');
  const player = await callJson(
    {
      service: 'YouTube',
      url: 'https://www.youtube.com/youtubei/v1/player',
      method: 'POST',
      query: { key },
      json: { context: { client: { clientName: 'ANDROID', clientVersion: '20.10.38' } }, videoId: id },
      repeatable: true,
    },
    context,
  );
  const status = textMember(player, 'playabilityStatus', 'status');
  if (status !== 'OK') {
    const reason = textMember(player, 'playabilityStatus', 'reason') || status;
    throw new ComponentError(`Failed to get YouTube transcripts: ${reason}`);
  }
  return objectsMember(player, 'captions', 'playerCaptionsTracklistRenderer', 'captionTracks');
}

/** Manually written tracks take precedence over automatic ones. */
function chosenTrack(
  tracks: readonly PythonObject[],
  languages: readonly string[],
): PythonObject | undefined {
  const manualTracks = tracks.filter((track) => textMember(track, 'kind') !== 'asr');
  const wanted = languages.length === 0 ? ['en'] : languages;
  for (const language of wanted) {
    const found = [...manualTracks, ...tracks].find(
      (track) => textMember(track, 'languageCode') === language,
    );
    if (found !== undefined) return found;
  }
  return languages.length === 0 ? (manualTracks[0] ?? tracks[0]) : undefined;
}

function videoId(video: string): string {
  const id = /(?:v=|youtu\.be\/|\/embed\/|\/shorts\/|\/live\/|\/v\/|^)([\w-]{11})(?:[?&#/]|$)/.exec(
    video.trim(),
  )?.[1];
  if (id === undefined)
    throw new ComponentError(`Could not determine the video ID for the URL ${video.trim()}`);
  return id;
}
