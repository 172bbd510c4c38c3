import type { IncomingMessage } from 'node:http';
import { findJsonExcess, HttpError, readBody } from '@millrace/http';
import type { OpenBody } from '@millrace/http';

const MAXIMUM_DEPTH = 64;
const BEGINS_LIKE_JSON = /^\s*[[{]/;
const BUSY = 'Too many large webhooks are being received; please send it again.';
const EMPTY = 'Request body is empty. You should provide a JSON payload containing the flow ID.';

/** Reads a webhook's raw bytes within the limit. Rejects with HttpError for a body that is refused. */
export async function readWebhookBody(
  request: IncomingMessage,
  maximumBytes: number,
  share: OpenBody,
): Promise<Buffer> {
  const bytes = await readSignedBody(request, maximumBytes, share);
  if (bytes.length === 0) throw new HttpError('invalid_value', EMPTY);
  return bytes;
}

/** As `readWebhookBody`, for senders whose body can be empty. */
export async function readSignedBody(
  request: IncomingMessage,
  maximumBytes: number,
  share: OpenBody,
): Promise<Buffer> {
  const encoding = request.headers['content-encoding'];
  if (encoding && encoding !== 'identity')
    throw new HttpError('encoding_refused', 'Only identity encoding is accepted.');
  const tooLargeHeaders = { connection: 'close' };
  return readBody(request, { maximumBytes, share, tooLargeHeaders, overBudget: tooManyBodies });
}

function tooManyBodies(): HttpError {
  const headers = { 'retry-after': '1', connection: 'close' };
  return new HttpError('ingest_unavailable', BUSY, { headers });
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Returns the body as the text that a Webhook component receives. NUL cannot be stored, so it is a caller error like
 * invalid UTF-8. The limits of JSON apply to text that begins like JSON, because the component parses it. Throws
 * undecodable_body, invalid_value and body_too_large as HttpError.
 */
export function decodeWebhookBody(body: Buffer, maximumMembers: number): string {
  let text: string;
  try {
    text = decoder.decode(body);
  } catch {
    throw new HttpError('undecodable_body', 'The body is not valid UTF-8.');
  }
  if (text.includes('\u0000')) throw new HttpError('invalid_value', 'The body contains a NUL character.');
  const excess = BEGINS_LIKE_JSON.test(text)
    ? findJsonExcess(text, { maximumDepth: MAXIMUM_DEPTH, maximumMembers })
    : null;
  if (excess?.kind === 'depth')
    throw new HttpError('invalid_value', `The body nests deeper than ${MAXIMUM_DEPTH} levels.`);
  if (excess) throw new HttpError('body_too_large', `The body has more than ${maximumMembers} members.`);
  return text;
}
