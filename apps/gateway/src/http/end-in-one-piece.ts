import type { ServerResponse } from 'node:http';

/** Copying more than this costs more than a second piece. */
const LARGEST_BYTES = 16_384;

/**
 * Ends an answer with bytes. Node.js hands head and body to the system as two pieces, unless the body is text: as
 * latin1, in which every byte is one character, it is sent byte for byte, and both are one piece.
 */
export function endInOnePiece(response: ServerResponse, body: Buffer): void {
  if (body.length > LARGEST_BYTES) response.end(body);
  else response.end(body.toString('latin1'), 'latin1');
}
