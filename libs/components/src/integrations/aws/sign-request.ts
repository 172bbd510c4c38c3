import { createHash, createHmac } from 'node:crypto';
import type { AwsAccess } from './aws-access';

/** A request to sign. */
export interface UnsignedRequest {
  readonly method: string;
  /** With a path that is percent-encoded once. */
  readonly url: URL;
  /** The headers besides `host`; all of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Key = Pick<AwsAccess, 'accessKeyId' | 'secretAccessKey' | 'sessionToken' | 'region'>;

const algorithm = 'AWS4-HMAC-SHA256';

/**
 * Returns the headers with which AWS accepts a request (Signature Version 4, for all services but S3): the signature,
 * the time and the session token. AWS refuses a signature that is older than a few minutes.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signRequest(
  request: UnsignedRequest,
  key: Key,
  service: string,
  now: Date,
): Readonly<Record<string, string>> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const added = {
    'x-amz-date': time,
    ...(key.sessionToken === null ? {} : { 'x-amz-security-token': key.sessionToken.reveal() }),
  };
  const signed = { ...request.headers, host: request.url.host, ...added };
  const names = Object.keys(signed).sort().join(';');
  const scope = `${time.slice(0, 8)}/${key.region}/${service}/aws4_request`;
  const text = [algorithm, time, scope, sha256(canonicalRequest(request, signed))].join('\n');
  const signature = hmac(signingKey(key, scope), text).toString('hex');
  return {
    ...added,
    authorization: `${algorithm} Credential=${key.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

function canonicalRequest(
  { method, url, body }: UnsignedRequest,
  headers: Readonly<Record<string, string>>,
): string {
  const sorted = Object.entries(headers).sort(([one], [other]) => compare(one, other));
  // The path is encoded a second time.
  const path = url.pathname.split('/').map(encoded).join('/');
  const query = [...url.searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort(compare)
    .join('&');
  return [
    method,
    path,
    query,
    ...sorted.map(([name, value]) => `${name}:${value.trim().replaceAll(/ +/g, ' ')}`),
    '',
    sorted.map(([name]) => name).join(';'),
    sha256(body),
  ].join('\n');
}

function signingKey({ secretAccessKey }: Key, scope: string): Buffer {
  const start = Buffer.from(`AWS4${secretAccessKey.reveal()}`);
  return scope.split('/').reduce((key: Buffer, part) => hmac(key, part), start);
}

/** Percent-encodes everything but unreserved characters. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
