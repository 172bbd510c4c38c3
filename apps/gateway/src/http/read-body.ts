import type { IncomingMessage } from 'node:http';
import type { OpenBody } from '@millrace/service';
import { RequestError } from './request-error';

const EMPTY = Buffer.alloc(0);
const MEBIBYTE = 1024 * 1024;

/**
 * Reads a whole body within the limit and the budget. What follows a refused one is read and dropped, so that the answer
 * arrives. Rejects with body_too_large, too_many_bodies and undecodable_body.
 */
export function readBody(request: IncomingMessage, maximumBytes: number, share: OpenBody): Promise<Buffer> {
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
      else if (!share.take(chunk.length)) refuse(tooManyBodies());
      else if (first === null) first = chunk;
      else (chunks ??= [first]).push(chunk);
    });
    request.on('end', () => {
      resolve(chunks ? Buffer.concat(chunks, size) : (first ?? EMPTY));
      // These listeners live as long as the request, which may wait for a run.
      first = null;
      chunks = null;
    });
    // The caller left in the middle: the answer goes nowhere, but the handler must end.
    request.on('error', (error) => {
      reject(new RequestError('undecodable_body', 'There was an error parsing the body', { cause: error }));
    });
  });
}

/** The refusal of a body of this size, in the words Langflow's clients know. */
export function bodyTooLarge(size: number, maximumBytes: number): RequestError {
  const allowed = megabytes(maximumBytes);
  return new RequestError(
    'body_too_large',
    `Content size limit exceeded. Maximum allowed is ${allowed}MB and got ${megabytes(size)}MB.`,
  );
}

function tooManyBodies(): RequestError {
  const text = 'This gateway holds as many large requests as it may; please send it again.';
  return new RequestError('too_many_bodies', text, { headers: { 'retry-after': '1' } });
}

function megabytes(bytes: number): number {
  return Number((bytes / MEBIBYTE).toFixed(3));
}
