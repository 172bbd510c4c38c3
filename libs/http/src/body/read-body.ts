import type { IncomingMessage } from 'node:http';
import { HttpError } from '../http-error';
import type { OpenBody } from './body-budget';

const EMPTY = Buffer.alloc(0);
const MEBIBYTE = 1024 * 1024;

export interface BodyLimits {
  readonly maximumBytes: number;
  /** The body's share of the budget; the code that opened it closes it. */
  readonly share: OpenBody;
  /** Headers of the answer to a body that is too large. */
  readonly tooLargeHeaders?: Readonly<Record<string, string>>;
  /** Creates the error for a body that the budget has no room for. */
  readonly overBudget: () => HttpError;
}

/**
 * Reads a whole body within the limit and the budget. The rest of a refused body is read and dropped, so that the
 * caller receives the answer. Rejects with body_too_large, with the error of the budget, and with undecodable_body when
 * the caller disconnects before the end.
 */
export function readBody(request: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  const { maximumBytes, share, tooLargeHeaders } = limits;
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > maximumBytes) return Promise.reject(bodyTooLarge(declared, maximumBytes, tooLargeHeaders));
  // The caller can have disconnected while their key was looked up.
  if (request.destroyed && !request.readableEnded) return Promise.reject(disconnected());
  return new Promise((resolve, reject) => {
    let first: Buffer | null = null;
    let chunks: Buffer[] | null = null;
    let size = 0;
    const refuse = (error: HttpError) => {
      request.removeAllListeners('data').removeAllListeners('end').resume();
      first = null;
      chunks = null;
      reject(error);
    };
    // By events: an async iterator over the request costs more than the rest of accepting a webhook.
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maximumBytes) refuse(bodyTooLarge(size, maximumBytes, tooLargeHeaders));
      else if (!share.take(chunk.length)) refuse(limits.overBudget());
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
    request.on('error', (error) => reject(disconnected(error)));
  });
}

/** Returns the error for a body of this size, with Langflow's text. */
export function bodyTooLarge(
  size: number,
  maximumBytes: number,
  headers: Readonly<Record<string, string>> = {},
): HttpError {
  const allowed = megabytes(maximumBytes);
  const text = `Content size limit exceeded. Maximum allowed is ${allowed}MB and got ${megabytes(size)}MB.`;
  return new HttpError('body_too_large', text, { headers });
}

function disconnected(cause?: Error): HttpError {
  return new HttpError('undecodable_body', 'There was an error parsing the body', { cause });
}

function megabytes(bytes: number): number {
  return Number((bytes / MEBIBYTE).toFixed(3));
}
