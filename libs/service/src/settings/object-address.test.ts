import { objectAddress } from './object-address';

const read = (url: string) => {
  const address = objectAddress(url);
  return { ...address, bucket: address.bucket.href };
};

test("without an endpoint it is Amazon's of the region", () => {
  expect(read('s3://id:secret@files?region=eu-west-1')).toEqual({
    bucket: 'https://s3.eu-west-1.amazonaws.com/files/',
    prefix: '',
    region: 'eu-west-1',
    accessKeyId: 'id',
    secretAccessKey: 'secret',
  });
});

test('an endpoint can have a path, objects a prefix, and credentials escapes', () => {
  expect(read('s3://own:a%2Fb%40c@files/one/two/?endpoint=http://127.0.0.1:8333/s3/')).toEqual({
    bucket: 'http://127.0.0.1:8333/s3/files/',
    prefix: 'one/two/',
    region: 'us-east-1',
    accessKeyId: 'own',
    secretAccessKey: 'a/b@c',
  });
});

test.each([
  ['https://id:secret@files', 'must begin with s3://'],
  ['s3://files', 'must have an access key and its secret'],
  ['s3://id@files', 'must have an access key and its secret'],
  ['s3://', 'must name a bucket'],
  ['s3://A_b', 'must name a bucket'],
  ['s3://id:secret@files/a b', 'must have a prefix of letters'],
  ['s3://id:secret@files?endpoint=ftp://host', 'must have an endpoint that begins with http'],
  ['s3://id:secret@files?endpoint=http://u:p@host', 'must have an endpoint that is only an address'],
  ['s3://id:secret@files?region=a/b', 'has a region that is not valid'],
  ['s3://id:secret@files?regoin=a', 'has the unknown parameter regoin'],
])('refuses %s', (text, reason) => {
  expect(() => objectAddress(text)).toThrow(reason);
});
