import { HttpFailure } from './http-failure';
import type { HttpCall } from './http-call';

const mebibyte = 1_048_576;
/** The default limit of an answer in bytes. */
export const defaultMaximumBytes = 10 * mebibyte;

/** Reads a body. Rejects with an HttpFailure, without reading further, when it is larger than the call allows. */
export async function readBody(response: Response, call: HttpCall): Promise<Buffer> {
  const { maximumBytes = defaultMaximumBytes } = call;
  // A body cannot be longer than its declared length, so a short one can be read at once.
  if (declaredBytes(response) <= maximumBytes) return Buffer.from(await response.arrayBuffer());
  const parts: Uint8Array[] = [];
  for await (const part of limitedParts(response, call)) parts.push(part);
  return Buffer.concat(parts);
}

/**
 * Yields a body as it arrives, and calls `onPart` before each part. Throws an HttpFailure when it is larger than the call
 * allows.
 */
export async function* limitedParts(
  response: Response,
  { service, maximumBytes = defaultMaximumBytes }: HttpCall,
  onPart?: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const declared = declaredBytes(response);
  let length = Number.isFinite(declared) && declared > maximumBytes ? declared : 0;
  // Leaving the loop early cancels the stream and closes the connection.
  for await (const part of bodyParts(response)) {
    length += part.length;
    if (length > maximumBytes) {
      const limit = `${(maximumBytes / mebibyte).toFixed(maximumBytes % mebibyte === 0 ? 0 : 2)} MiB`;
      throw new HttpFailure(`${service} answered with more than ${limit}.`, 'too_large');
    }
    onPart?.();
    yield part;
  }
}

/**
 * Returns the body of a response as it arrives, which can be read once. Leaving the loop early closes the connection.
 * Responses of the executor's own client can be read without a web stream, which costs as much as a small call.
 */
export function bodyParts(response: Response): AsyncIterable<Uint8Array> {
  if (Symbol.asyncIterator in response) return response as unknown as AsyncIterable<Uint8Array>;
  return (response.body ?? []) as unknown as AsyncIterable<Uint8Array>;
}

function declaredBytes({ headers }: Response): number {
  const length = headers.get('content-length');
  return length === null || headers.has('content-encoding') ? Number.POSITIVE_INFINITY : Number(length);
}
