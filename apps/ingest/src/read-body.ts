import type { IncomingMessage } from 'node:http';
import { findJsonExcess } from '@millrace/service';
import type { OpenBody } from '@millrace/service';
import { IngestError } from './ingest-error';

const MAXIMUM_DEPTH = 64;
const BEGINS_LIKE_JSON = /^\s*[[{]/;
const BUSY = 'Too many large webhooks are being received; please send it again.';
const EMPTY = 'Request body is empty. You should provide a JSON payload containing the flow ID.';

/** Reads a webhook's raw bytes within the limit; throws IngestError for a body that is refused. */
export async function readBody(
  request: IncomingMessage,
  maximumBytes: number,
  body: OpenBody,
): Promise<Buffer> {
  if (request.headers['content-encoding'] && request.headers['content-encoding'] !== 'identity') {
    throw new IngestError('encoding_refused', 'Only identity encoding is accepted.');
  }
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > maximumBytes) throw tooLarge(declared, maximumBytes);
  const chunks = await readChunks(request, maximumBytes, body);
  const [first, ...others] = chunks;
  if (first === undefined) throw new IngestError('invalid_value', EMPTY);
  return others.length === 0 ? first : Buffer.concat(chunks);
}

/** Reads by events: an async iterator over the request costs more than the rest of accepting a webhook. */
function readChunks(request: IncomingMessage, maximumBytes: number, body: OpenBody): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const rejectBody = (error: Error) => {
      // Discard the rest of the body, so that the sender receives the refusal.
      request.off('data', onChunk).resume();
      reject(error);
    };
    const onChunk = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maximumBytes) rejectBody(tooLarge(size, maximumBytes));
      else if (body.take(chunk.length)) chunks.push(chunk);
      else
        rejectBody(new IngestError('ingest_unavailable', BUSY, { 'retry-after': '1', connection: 'close' }));
    };
    request.on('data', onChunk).once('end', () => resolve(chunks));
    request.once('error', reject);
    // The sender can have disconnected while its key was looked up.
    const onSenderClosed = () => {
      if (!request.readableEnded) reject(new Error('the sender disconnected'));
    };
    if (request.destroyed) onSenderClosed();
    else request.once('close', onSenderClosed);
  });
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Returns the body as the text that a Webhook component receives. NUL cannot be stored, so it is a caller error like
 * invalid UTF-8. The limits of JSON apply to text that begins like JSON, because the component parses it. Throws
 * undecodable_body, invalid_value and body_too_large as IngestError.
 */
export function decodeBody(body: Buffer, maximumMembers: number): string {
  let text: string;
  try {
    text = decoder.decode(body);
  } catch {
    throw new IngestError('undecodable_body', 'The body is not valid UTF-8.');
  }
  if (text.includes('\u0000')) throw new IngestError('invalid_value', 'The body contains a NUL character.');
  const excess = BEGINS_LIKE_JSON.test(text)
    ? findJsonExcess(text, { maximumDepth: MAXIMUM_DEPTH, maximumMembers })
    : null;
  if (excess?.kind === 'depth')
    throw new IngestError('invalid_value', `The body nests deeper than ${MAXIMUM_DEPTH} levels.`);
  if (excess) throw new IngestError('body_too_large', `The body has more than ${maximumMembers} members.`);
  return text;
}

function tooLarge(size: number, maximumBytes: number): IngestError {
  const megabytes = (bytes: number) => Number((bytes / 1_048_576).toFixed(3));
  return new IngestError(
    'body_too_large',
    `Content size limit exceeded. Maximum allowed is ${megabytes(maximumBytes)}MB and got ${megabytes(size)}MB.`,
    { connection: 'close' },
  );
}
