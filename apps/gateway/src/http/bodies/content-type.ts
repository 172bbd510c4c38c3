import type { IncomingMessage } from 'node:http';
import { HttpError } from '@millrace/http';

export type BodyKind = 'json' | 'form' | 'urlencoded' | 'other';

/** Returns the kind of body by the Content-Type header. `application/vnd.x+json` is also JSON. */
export function bodyKind(request: IncomingMessage): BodyKind {
  const header = request.headers['content-type'];
  if (header === 'application/json') return 'json';
  if (header === undefined) return 'other';
  const end = header.indexOf(';');
  const mediaType = (end < 0 ? header : header.slice(0, end)).trim().toLowerCase();
  if (mediaType === 'application/json') return 'json';
  if (mediaType.startsWith('application/') && mediaType.endsWith('+json')) return 'json';
  if (mediaType === 'multipart/form-data') return 'form';
  if (mediaType === 'application/x-www-form-urlencoded') return 'urlencoded';
  return 'other';
}

/** Refuses compressed bodies, since an attacker could use them to cause expensive work at little cost. */
export function refuseEncodedBody(request: IncomingMessage): void {
  const encoding = request.headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') return;
  throw new HttpError('undecodable_body', 'There was an error parsing the body');
}
