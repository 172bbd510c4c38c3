import type { IncomingMessage } from 'node:http';
import { createGunzip } from 'node:zlib';
import {
  bodyTooLarge,
  findJsonExcess,
  HttpError,
  readBody,
  refuseUnstorable,
  refuseUnstorableEscapes,
} from '@millrace/http';
import type { OpenBody } from '@millrace/http';
import { escapeRawControls } from '@millrace/python-text';

const MAXIMUM_DEPTH = 64;
const BEGINS_LIKE_JSON = /^\s*[[{]/;
const BUSY = 'Too many large webhooks are being received; please send it again.';
const EMPTY = 'Request body is empty. You should provide a JSON payload containing the flow ID.';

/**
 * Reads a webhook's bytes as they were sent, which the sender has signed; they can be compressed by gzip. Rejects with
 * HttpError for a body that is refused.
 */
export async function readWebhookBody(
  request: IncomingMessage,
  maximumBytes: number,
  share: OpenBody,
): Promise<Buffer> {
  if (!isGzip(request)) refuseEncoding(request, 'Only gzip and identity encodings are accepted.');
  return readBytes(request, maximumBytes, share);
}

/** Returns Langflow's error for a webhook without a body. */
export function emptyBody(): HttpError {
  return new HttpError('invalid_value', EMPTY);
}

/** Reads a delivery to a trigger, which is not compressed and can be empty. */
export async function readSignedBody(
  request: IncomingMessage,
  maximumBytes: number,
  share: OpenBody,
): Promise<Buffer> {
  refuseEncoding(request, 'Only identity encoding is accepted.');
  return readBytes(request, maximumBytes, share);
}

/**
 * Resolves to the content of a body that is compressed by gzip, or the body itself. Decompresses in parts, so that a small
 * body with a large content costs no more memory than a large body. Rejects with undecodable_body, body_too_large, and
 * ingest_unavailable when the budget has no room.
 */
export async function decompressWebhookBody(
  request: IncomingMessage,
  bytes: Buffer,
  { maximumBytes, share }: { readonly maximumBytes: number; readonly share: OpenBody },
): Promise<Buffer> {
  if (!isGzip(request)) return bytes;
  const gunzip = createGunzip();
  gunzip.end(bytes);
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of gunzip as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > maximumBytes) throw bodyTooLarge(size, maximumBytes);
      if (!share.take(part.length)) throw tooManyBodies();
      parts.push(part);
    }
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw new HttpError('undecodable_body', 'The body is not valid gzip.', { cause: error });
  }
  if (size === 0) throw emptyBody();
  return Buffer.concat(parts, size);
}

function isGzip({ headers }: IncomingMessage): boolean {
  const encoding = headers['content-encoding']?.toLowerCase();
  return encoding === 'gzip' || encoding === 'x-gzip';
}

function refuseEncoding({ headers }: IncomingMessage, text: string): void {
  const encoding = headers['content-encoding'];
  if (encoding && encoding !== 'identity') throw new HttpError('encoding_refused', text);
}

function readBytes(request: IncomingMessage, maximumBytes: number, share: OpenBody): Promise<Buffer> {
  const tooLargeHeaders = { connection: 'close' };
  return readBody(request, { maximumBytes, share, tooLargeHeaders, overBudget: tooManyBodies });
}

function tooManyBodies(): HttpError {
  const headers = { 'retry-after': '1', connection: 'close' };
  return new HttpError('ingest_unavailable', BUSY, { headers });
}

/** Skips a byte order mark. */
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Returns the text of a body that a flow reads as JSON, with its raw line breaks and tabs as escapes. Throws invalid_value for
 * JSON with an escape of a character that cannot be stored: no run could keep what it makes of it.
 */
export function jsonBody(text: string, maximumBytes: number): string {
  const escaped = escapeRawControls(text, maximumBytes);
  refuseUnstorableEscapes(escaped);
  return escaped;
}

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
  refuseUnstorable(text);
  const excess = BEGINS_LIKE_JSON.test(text)
    ? findJsonExcess(text, { maximumDepth: MAXIMUM_DEPTH, maximumMembers })
    : null;
  if (excess?.kind === 'depth')
    throw new HttpError('invalid_value', `The body nests deeper than ${MAXIMUM_DEPTH} levels.`);
  if (excess) throw new HttpError('body_too_large', `The body has more than ${maximumMembers} members.`);
  return text;
}
