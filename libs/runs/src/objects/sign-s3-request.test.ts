import { signS3Request } from './sign-s3-request';

// The examples of https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
const key = {
  region: 'us-east-1',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const now = new Date('2013-05-24T00:00:00Z');
const sign = (method: 'GET' | 'PUT', path: string, headers: Record<string, string>, body: Buffer | null) =>
  signS3Request(
    { method, url: new URL(path, 'https://examplebucket.s3.amazonaws.com'), headers, body },
    key,
    now,
  )['authorization'];

test('signs a request for a part of an object', () => {
  expect(sign('GET', '/test.txt', { range: 'bytes=0-9' }, null)).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  );
});

test('signs a body and a path with escapes', () => {
  const headers = { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' };
  expect(sign('PUT', '/test%24file.text', headers, Buffer.from('Welcome to Amazon S3.'))).toContain(
    'Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  );
});

test.each([
  ['/?lifecycle', 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
  ['/?max-keys=2&prefix=J', '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
])('signs the query %s', (path, signature) => {
  expect(sign('GET', path, {}, null)).toContain(`Signature=${signature}`);
});
