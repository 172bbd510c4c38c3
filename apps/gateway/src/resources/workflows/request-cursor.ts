import { HttpError } from '@millrace/http';
import type { RequestPosition } from '@millrace/runs';
import { valueError } from '../../http/validation/validation-items';

const SHAPE = /^(\d{1,16})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([0-9a-f]{32})$/;

/** Returns the cursor of the page that begins behind this request. Callers do not interpret it. */
export function requestCursor({ microseconds, runId, digest }: RequestPosition): string {
  return Buffer.from(`${microseconds}.${runId}.${digest}`).toString('base64url');
}

/** Reads the parameter `cursor`; undefined when it is absent. Throws invalid_request. */
export function requestCursorParameter(query: URLSearchParams): RequestPosition | undefined {
  const text = query.get('cursor');
  if (text === null) return undefined;
  const [, microseconds, runId, digest] = SHAPE.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (runId !== undefined && digest !== undefined)
    return { microseconds: Number(microseconds), runId, digest };
  throw new HttpError('invalid_request', [
    valueError(['query', 'cursor'], text, 'Input should be the next_cursor of an earlier answer'),
  ]);
}
