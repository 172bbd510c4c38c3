import { Headers } from 'undici';
import type { RequestInit, Response } from 'undici';

const redirectStatuses = new Set([301, 302, 303, 307, 308]);
const credentialHeaders = ['authorization', 'proxy-authorization', 'cookie', 'x-api-key', 'api-key'];
const bodyHeaders = [
  'content-type',
  'content-length',
  'content-encoding',
  'content-language',
  'content-location',
];

export interface Redirection {
  readonly url: URL;
  readonly options: RequestInit;
}

/** The request that a redirect asks for, as the Fetch standard has it; undefined when the answer is no redirect. */
export function redirected(from: URL, options: RequestInit, response: Response): Redirection | undefined {
  const location = response.headers.get('location');
  if (!redirectStatuses.has(response.status) || location === null) return undefined;
  const url = new URL(location, from);
  const headers = new Headers(options.headers);
  if (url.origin !== from.origin) for (const name of credentialHeaders) headers.delete(name);
  const { method = 'GET', body, ...rest } = options;
  if (becomesGet(response.status, method.toUpperCase())) {
    for (const name of bodyHeaders) headers.delete(name);
    return { url, options: { ...rest, method: 'GET', headers: [...headers] } };
  }
  if (body instanceof ReadableStream) throw new TypeError('A streamed body cannot follow a redirect');
  return { url, options: { ...rest, method, headers: [...headers], ...(body == null ? {} : { body }) } };
}

function becomesGet(status: number, method: string): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD';
  return (status === 301 || status === 302) && method === 'POST';
}
