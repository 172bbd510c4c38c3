import { HttpFailure } from './http-failure';
import type { HttpCall } from './http-call';

const mebibyte = 1_048_576;
/** Bytes of an answer that are read unless a call says otherwise. */
export const usualMaximumBytes = 10 * mebibyte;

/** Reads a body of at most as many bytes as the call takes; what is longer is left unread and is a failure. */
export async function readBody(
  response: Response,
  { service, maximumBytes = usualMaximumBytes }: HttpCall,
): Promise<Buffer> {
  // What says itself that it is short enough is no longer than it says, and need not come in parts.
  if (declaredBytes(response) <= maximumBytes) return Buffer.from(await response.arrayBuffer());
  if (response.body === null) return Buffer.alloc(0);
  const parts: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop early cancels the stream, and with it the connection.
  for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > maximumBytes) {
      const limit = `${(maximumBytes / mebibyte).toFixed(maximumBytes % mebibyte === 0 ? 0 : 2)} MiB`;
      throw new HttpFailure(`${service} answered with more than ${limit}.`, 'too_large');
    }
    parts.push(part);
  }
  return Buffer.concat(parts, length);
}

function declaredBytes({ headers }: Response): number {
  const length = headers.get('content-length');
  return length === null || headers.has('content-encoding') ? Number.POSITIVE_INFINITY : Number(length);
}
