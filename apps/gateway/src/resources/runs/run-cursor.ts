import { HttpError } from '@millrace/http';
import type { RunPosition } from '@millrace/runs';

const SHAPE = /^(\d{1,16})\.([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/;

/** Returns the cursor of the page that begins behind this run. Callers do not interpret it. */
export function runCursor({ acceptedAtMicroseconds, id }: RunPosition): string {
  return Buffer.from(positionText({ acceptedAtMicroseconds, id })).toString('base64url');
}

/** Reads the parameter `cursor`; undefined when it is absent. Throws invalid_request. */
export function cursorParameter(query: URLSearchParams): RunPosition | undefined {
  const text = query.get('cursor');
  if (text === null) return undefined;
  const position = parsePosition(Buffer.from(text, 'base64url').toString('latin1'));
  if (position !== null) return position;
  const msg = 'Input should be the next_cursor of an earlier answer';
  throw new HttpError('invalid_request', [
    { type: 'value_error', loc: ['query', 'cursor'], msg, input: text },
  ]);
}

/** Returns a position as text. */
export function positionText({ acceptedAtMicroseconds, id }: RunPosition): string {
  return `${acceptedAtMicroseconds}.${id}`;
}

/** Returns the position of a text; null for other texts. */
export function parsePosition(text: string): RunPosition | null {
  const [, microseconds, id] = SHAPE.exec(text) ?? [];
  return id === undefined ? null : { acceptedAtMicroseconds: Number(microseconds), id };
}
