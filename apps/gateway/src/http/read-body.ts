import type { IncomingMessage } from 'node:http';
import type { OpenBody } from '@millrace/service';
import { RequestError } from './request-error';

const EMPTY = Buffer.alloc(0);
const MEBIBYTE = 1024 * 1024;

/**
 * Reads a whole body within the limit and the budget. The rest of a refused body is read and dropped, so that the
 * caller receives the answer. Rejects with body_too_large, too_many_bodies and undecodable_body.
 */
export function readBody(
  request: IncomingMessage,
  maximumBytes: number,
  budgetShare: OpenBody,
): Promise<Buffer> {
  const declared = request.headers['content-length'];
  if (declared !== undefined && Number(declared) > maximumBytes) {
    return Promise.reject(bodyTooLarge(Number(declared), maximumBytes));
  }
  return new Promise((resolve, reject) => {
    let first: Buffer | null = null;
    let chunks: Buffer[] | null = null;
    let size = 0;
    const refuse = (error: RequestError) => {
      request.removeAllListeners('data').removeAllListeners('end').resume();
      first = null;
      chunks = null;
      reject(error);
    };
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maximumBytes) refuse(bodyTooLarge(size, maximumBytes));
      else if (!budgetShare.take(chunk.length)) refuse(tooManyBodies());
      else if (first === null) first = chunk;
      else (chunks ??= [first]).push(chunk);
    });
    request.on('end', () => {
      resolve(chunks ? Buffer.concat(chunks, size) : (first ?? EMPTY));
      // These listeners exist as long as the request, which can wait for a run.
      first = null;
      chunks = null;
    });
    // The caller disconnected while sending. The answer is not delivered, but the handler must end.
    request.on('error', (error) => {
      reject(new RequestError('undecodable_body', 'There was an error parsing the body', { cause: error }));
    });
  });
}

/** Returns the error for a body of this size, with Langflow's text. */
export function bodyTooLarge(size: number, maximumBytes: number): RequestError {
  const allowed = megabytes(maximumBytes);
  return new RequestError(
    'body_too_large',
    `Content size limit exceeded. Maximum allowed is ${allowed}MB and got ${megabytes(size)}MB.`,
  );
}

function tooManyBodies(): RequestError {
  const text = 'Too many large requests at this gateway. Try again soon.';
  return new RequestError('too_many_bodies', text, { headers: { 'retry-after': '1' } });
}

function megabytes(bytes: number): number {
  return Number((bytes / MEBIBYTE).toFixed(3));
}
