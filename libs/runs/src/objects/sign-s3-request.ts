import { createHash, createHmac } from 'node:crypto';
import type { ObjectAddress } from '@millrace/service';

export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** With a path and a query that are percent-encoded once, as `encoded` does. */
  readonly url: URL;
  /** Names in lower case. All are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

/**
 * Returns all headers with which S3 accepts a request (Signature Version 4). The digest of the body is signed, so that the store
 * refuses bytes that were changed on the way.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function signS3Request(
  { method, url, headers, body }: S3Request,
  { region, accessKeyId, secretAccessKey }: Pick<ObjectAddress, 'region' | 'accessKeyId' | 'secretAccessKey'>,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const digest = sha256(body ?? '');
  const sent = { ...headers, host: url.host, 'x-amz-content-sha256': digest, 'x-amz-date': time };
  const sorted = Object.entries(sent).sort(([left], [right]) => (left < right ? -1 : 1));
  const names = sorted.map(([name]) => name).join(';');
  const query = url.search.slice(1).split('&').filter(Boolean).sort();
  const canonical = [
    method,
    url.pathname,
    query.map((pair) => (pair.includes('=') ? pair : `${pair}=`)).join('&'),
    ...sorted.map(([name, value]) => `${name}:${value.trim()}`),
    '',
    names,
    digest,
  ].join('\n');
  const scope = [time.slice(0, 8), region, 's3', 'aws4_request'];
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonical)].join('\n');
  let key: Buffer = Buffer.from(`AWS4${secretAccessKey}`);
  for (const part of [...scope, text]) key = createHmac('sha256', key).update(part).digest();
  const credential = `${accessKeyId}/${scope.join('/')}`;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${key.toString('hex')}`,
  };
}

/** Percent-encodes everything but unreserved characters. */
export function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
