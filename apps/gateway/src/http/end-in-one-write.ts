import type { ServerResponse } from 'node:http';

/** Copying more than this costs more than a second write. */
const MAXIMUM_BYTES = 16_384;

/**
 * Ends an answer with bytes in one write. Node.js writes head and body separately unless the body is text. As latin1,
 * in which every byte is one character, the body is sent unchanged.
 */
export function endInOneWrite(response: ServerResponse, body: Buffer): void {
  if (body.length > MAXIMUM_BYTES) response.end(body);
  else response.end(body.toString('latin1'), 'latin1');
}
