import type { IncomingMessage } from 'node:http';
import type { OpenBody } from './body-budget';
import { IngestAnswer } from './ingest-answer';

const MAXIMUM_DEPTH = 64;
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

/** The body as the text a Webhook component gets. NUL cannot be stored, so it is the caller's error like bad UTF-8. */
export function decodeBody(body: Buffer): string {
  let text: string;
  try {
    text = decoder.decode(body);
  } catch {
    throw new IngestAnswer('undecodable_body', 'The body is not valid UTF-8.');
  }
  if (text.includes('\u0000')) throw new IngestAnswer('invalid_value', 'The body contains a NUL character.');
  if (deeperThan(text, MAXIMUM_DEPTH))
    throw new IngestAnswer('invalid_value', `The body nests deeper than ${MAXIMUM_DEPTH} levels.`);
  return text;
}

/** Whether JSON text nests deeper than this; brackets inside strings do not count. One pass, no recursion. */
export function deeperThan(text: string, maximumDepth: number): boolean {
  const first = text.trimStart()[0];
  if (first !== '{' && first !== '[') return false;
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (quoted) {
      if (code === 92) index += 1;
      else if (code === 34) quoted = false;
    } else if (code === 34) quoted = true;
    else if (code === 123 || code === 91) {
      depth += 1;
      if (depth > maximumDepth) return true;
    } else if (code === 125 || code === 93) depth -= 1;
  }
  return false;
}

function tooLarge(size: number, maximumBytes: number): IngestAnswer {
  const megabytes = (bytes: number) => Number((bytes / 1_048_576).toFixed(3));
  return new IngestAnswer(
    'body_too_large',
    `Content size limit exceeded. Maximum allowed is ${megabytes(maximumBytes)}MB and got ${megabytes(size)}MB.`,
    { connection: 'close' },
  );
}
