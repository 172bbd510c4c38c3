import type { Dispatcher } from 'undici';
import type { PlainRequest } from './plain-request';

const redirectStatuses = new Set([301, 302, 303, 307, 308]);
const credentialHeaders = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
];
const bodyHeaders = [
  'content-type',
  'content-length',
  'content-encoding',
  'content-language',
  'content-location',
];

/** Returns the request that a redirect requires by the Fetch standard; undefined for any other response. */
export function redirected(
  request: PlainRequest,
  { statusCode, headers: received }: Dispatcher.ResponseData,
): PlainRequest | undefined {
  const location = [received['location']].flat()[0];
  if (!redirectStatuses.has(statusCode) || location === undefined) return undefined;
  const url = new URL(location, request.url);
  const toGet = becomesGet(statusCode, request.method);
  if (!toGet && isStream(request.body)) throw new TypeError('A streamed body cannot follow a redirect');
  const removedHeaders = new Set([
    ...(url.origin === request.url.origin ? [] : [...credentialHeaders, 'host']),
    ...(toGet ? bodyHeaders : []),
  ]);
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => !removedHeaders.has(name)),
  );
  return { ...request, url, headers, ...(toGet && { method: 'GET', body: null }) };
}

function isStream(body: PlainRequest['body']): boolean {
  return body !== null && typeof body !== 'string' && !Buffer.isBuffer(body);
}

function becomesGet(status: number, method: string): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD';
  return (status === 301 || status === 302) && method === 'POST';
}
