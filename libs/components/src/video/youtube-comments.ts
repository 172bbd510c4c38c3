import { boolean, ComponentError, defineComponent, dropdown, integer, secret, text } from '@millrace/flow';
import { DataFrame } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { callHttp } from '../integrations/http/call-http';
import { decodeText } from '../integrations/http/decode-text';
import { member, objectsMember, textMember } from '../integrations/http/json-members';
import { requireKey } from '../integrations/http/require-key';
import { withoutSecrets } from '../integrations/http/service-error';

const service = 'YouTube';
const address = 'https://youtube.googleapis.com/youtube/v3/commentThreads';
const maximumOfPage = 100;
const maximumPages = 50;
const columns = [
  'video_id',
  'video_url',
  'comment_id',
  'parent_comment_id',
  'is_reply',
  'author',
  'author_channel_url',
  'text',
  'published_at',
  'updated_at',
];
const metrics = ['like_count', 'reply_count'];

export default defineComponent({
  type: 'YouTubeCommentsComponent',
  aliases: ['YouTubeComments'],
  displayName: 'YouTube Comments',
  description: 'Returns the comments on a YouTube video.',
  inputs: {
    video_url: text({ displayName: 'Video URL', required: true, tool: true }),
    api_key: secret({ displayName: 'YouTube API Key', required: true }),
    max_results: integer({ displayName: 'Max Results', default: 20 }),
    sort_by: dropdown({ displayName: 'Sort By', options: ['time', 'relevance'], default: 'relevance' }),
    include_replies: boolean({ displayName: 'Include Replies', advanced: true }),
    include_metrics: boolean({ displayName: 'Include Metrics', default: true, advanced: true }),
  },
  outputs: {
    comments: { types: ['DataFrame', 'Table'], displayName: 'Comments', method: 'get_video_comments' },
  },
  deterministic: false,
  run: async (inputs, context) => {
    const key = requireKey(inputs.api_key, 'YouTube API Key');
    const videoId = videoIdOf(inputs.video_url);
    const rows: PythonObject[] = [];
    let page = '';
    for (let threads = 0, pages = 0; threads < inputs.max_results && pages < maximumPages; pages += 1) {
      const url = new URL(address);
      const query = {
        part: 'snippet,replies',
        videoId,
        maxResults: String(Math.min(maximumOfPage, inputs.max_results - threads)),
        order: inputs.sort_by,
        textFormat: 'plainText',
        ...(page === '' ? {} : { pageToken: page }),
      };
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      const answer = await callHttp({ service, url, headers: { 'x-goog-api-key': key } }, context);
      const body = parsed(decodeText(answer));
      if (answer.status !== 200) {
        return { comments: new DataFrame([{ error: errorText(answer.status, body, key) }]) };
      }
      const items = objectsMember(body, 'items');
      for (const item of items) rows.push(...rowsOf(item, inputs.include_replies));
      threads += items.length;
      page = textMember(body, 'nextPageToken');
      if (page === '' || items.length === 0) break;
    }
    const shown = inputs.include_metrics ? [...columns, ...metrics] : columns;
    const video = { video_id: videoId, video_url: inputs.video_url };
    return {
      comments: new DataFrame(
        rows.map((row) => ordered({ ...video, ...row }, shown)),
        shown,
      ),
    };
  },
});

function videoIdOf(url: string): string {
  const found = /(?:youtube\.com\/(?:watch\?v=|embed\/|shorts\/)|youtu\.be\/)([^&\n?#]+)/.exec(url);
  return found?.[1] ?? url.trim();
}

function rowsOf(item: PythonObject, includeReplies: boolean): readonly PythonObject[] {
  const id = textMember(item, 'snippet', 'topLevelComment', 'id');
  const comment = member(item, 'snippet', 'topLevelComment', 'snippet');
  const first = {
    ...commentRow(id, comment),
    parent_comment_id: '',
    is_reply: false,
    author_channel_url: textMember(comment, 'authorChannelUrl'),
    updated_at: member(comment, 'updatedAt'),
    reply_count: member(item, 'snippet', 'totalReplyCount'),
  };
  if (!includeReplies) return [first];
  const replies = objectsMember(item, 'replies', 'comments').map((reply) => ({
    ...commentRow(textMember(reply, 'id'), member(reply, 'snippet')),
    parent_comment_id: id,
    is_reply: true,
    // A reply has no replies.
    reply_count: 0,
  }));
  return [first, ...replies];
}

function commentRow(id: string, snippet: PythonValue): PythonObject {
  return {
    comment_id: id,
    author: member(snippet, 'authorDisplayName'),
    text: member(snippet, 'textDisplay'),
    published_at: member(snippet, 'publishedAt'),
    like_count: member(snippet, 'likeCount'),
  };
}

function ordered(row: PythonObject, names: readonly string[]): PythonObject {
  return Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
}

function errorText(status: number, body: PythonValue, key: string): string {
  if (status === 403) return 'Comments are disabled for this video or API quota exceeded.';
  if (status === 404) return 'Video not found.';
  const reason = textMember(body, 'error', 'message') || `status ${status}`;
  return withoutSecrets(`YouTube API error: ${reason}`, [key]);
}

function parsed(json: string): PythonValue {
  try {
    return JSON.parse(json) as PythonValue;
  } catch (error) {
    throw new ComponentError(`${service} returned a response that is not JSON.`, error);
  }
}
