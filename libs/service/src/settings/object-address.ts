/** Where the objects of an installation are, and the credentials for it. */
export interface ObjectAddress {
  /** URL of the bucket, with a trailing slash. */
  readonly bucket: URL;
  /** Empty, or with a trailing slash. */
  readonly prefix: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^[\w.-]+(?:\/[\w.-]+)*$/;
const PARAMETERS = ['endpoint', 'region'];
const DEFAULT_REGION = 'us-east-1';

/**
 * Reads `s3://key:secret@bucket/prefix?endpoint=http://host:port&region=name`; without an endpoint it is Amazon's of the region.
 * Throws an Error whose message ends the sentence "MILLRACE_OBJECT_STORE_URL …" and contains no credentials.
 */
export function objectAddress(text: string): ObjectAddress {
  const url = URL.parse(text);
  if (url?.protocol !== 's3:') throw new Error('must begin with s3://');
  const name = url.hostname;
  if (!BUCKET.test(name)) throw new Error('must name a bucket: s3://key:secret@bucket/prefix');
  const prefix = url.pathname.replace(/^\/|\/$/g, '');
  if (prefix !== '' && !PREFIX.test(prefix))
    throw new Error('must have a prefix of letters, digits, ".", "_", "-" and "/"');
  const unknown = [...url.searchParams.keys()].find((key) => !PARAMETERS.includes(key));
  if (unknown !== undefined) throw new Error(`has the unknown parameter ${unknown}`);
  const region = url.searchParams.get('region') ?? DEFAULT_REGION;
  if (!/^[a-z0-9-]+$/.test(region)) throw new Error('has a region that is not valid');
  if (url.username === '' || url.password === '')
    throw new Error(
      'must have an access key and its secret before the bucket, a slash in them written as %2F',
    );
  return {
    bucket: bucketUrl(name, url.searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`),
    prefix: prefix === '' ? '' : `${prefix}/`,
    region,
    accessKeyId: decodeURIComponent(url.username),
    secretAccessKey: decodeURIComponent(url.password),
  };
}

/** The bucket is in the path, which every server accepts. */
function bucketUrl(name: string, endpoint: string): URL {
  const url = URL.parse(endpoint);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new Error('must have an endpoint that begins with http:// or https://');
  if (url.username !== '' || url.search !== '')
    throw new Error('must have an endpoint that is only an address');
  return new URL(`${url.href.replace(/\/$/, '')}/${name}/`);
}
