import type { IncomingMessage } from 'node:http';
import { findJsonExcess } from '@millrace/service';
import type { OpenBody } from '@millrace/service';
import { IngestAnswer } from './ingest-answer';

const MAXIMUM_DEPTH = 64;
const BEGINS_LIKE_JSON = /^\s*[[{]/;
const BUSY = 'Too many large webhooks are being received; please send it again.';
const EMPTY = 'Request body is empty. You should provide a JSON payload containing the flow ID.';

/** Reads a webhook's raw bytes within the limit; what a caller sends wrong ends as an IngestAnswer. */
export async function readBody(
  request: IncomingMessage,
  maximumBytes: number,
  body: OpenBody,
): Promise<Buffer> {
  if (request.headers['content-encoding'] && request.headers['content-encoding'] !== 'identity') {
    throw new IngestAnswer('encoding_refused', 'Only identity encoding is accepted.');
  }
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > maximumBytes) throw tooLarge(declared, maximumBytes);
  const chunks = await readChunks(request, maximumBytes, body);
  const [first, ...others] = chunks;
  if (first === undefined) throw new IngestAnswer('invalid_value', EMPTY);
  return others.length === 0 ? first : Buffer.concat(chunks);
}

/** By events: an iterator over the request costs more than all the rest of accepting a webhook. */
function readChunks(request: IncomingMessage, maximumBytes: number, body: OpenBody): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const refuse = (error: Error) => {
      // What still comes is dropped, so that the refusal arrives.
      request.off('data', take).resume();
      reject(error);
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maximumBytes) refuse(tooLarge(size, maximumBytes));
      else if (body.take(chunk.length)) chunks.push(chunk);
      else refuse(new IngestAnswer('ingest_unavailable', BUSY, { 'retry-after': '1', connection: 'close' }));
    };
    request.on('data', take).once('end', () => resolve(chunks));
    request.once('error', reject);
    // The sender may have left while its key was looked up.
    const left = () => {
      if (!request.readableEnded) reject(new Error('the sender left'));
    };
    if (request.destroyed) left();
    else request.once('close', left);
  });
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The body as the text a Webhook component gets. NUL cannot be stored, so it is the caller's error like bad UTF-8. What
 * begins like JSON is bounded as JSON, since the component parses it. Throws undecodable_body, invalid_value and
 * body_too_large as IngestAnswer.
 */
export function decodeBody(body: Buffer, maximumMembers: number): string {
  let text: string;
  try {
    text = decoder.decode(body);
  } catch {
    throw new IngestAnswer('undecodable_body', 'The body is not valid UTF-8.');
  }
  if (text.includes('\u0000')) throw new IngestAnswer('invalid_value', 'The body contains a NUL character.');
  const excess = BEGINS_LIKE_JSON.test(text)
    ? findJsonExcess(text, { maximumDepth: MAXIMUM_DEPTH, maximumMembers })
    : null;
  if (excess?.kind === 'depth')
    throw new IngestAnswer('invalid_value', `The body nests deeper than ${MAXIMUM_DEPTH} levels.`);
  if (excess) throw new IngestAnswer('body_too_large', `The body has more than ${maximumMembers} members.`);
  return text;
}

function tooLarge(size: number, maximumBytes: number): IngestAnswer {
  const megabytes = (bytes: number) => Number((bytes / 1_048_576).toFixed(3));
  return new IngestAnswer(
    'body_too_large',
    `Content size limit exceeded. Maximum allowed is ${megabytes(maximumBytes)}MB and got ${megabytes(size)}MB.`,
    { connection: 'close' },
  );
}
