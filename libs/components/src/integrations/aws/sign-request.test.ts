import { ApiKey } from '../models/api-key';
import { signRequest } from './sign-request';

const key = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: new ApiKey('wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'),
  sessionToken: null,
  region: 'us-east-1',
};
const at = new Date('2015-08-30T12:36:00Z');
const sign = (method: string, url: string, given: Partial<typeof key> & object = {}) =>
  signRequest({ method, url: new URL(url), headers: {}, body: '' }, { ...key, ...given }, 'service', at);

// Requests of AWS's test suite for Signature Version 4.
test.each([
  [
    'GET',
    'https://example.amazonaws.com/',
    '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  ],
  [
    'POST',
    'https://example.amazonaws.com/',
    '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  ],
  [
    'GET',
    'https://example.amazonaws.com/?Param2=value2&Param1=value1',
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
])('%s %s has the signature of the test suite', (method, url, signature) => {
  expect(sign(method, url)).toEqual({
    'x-amz-date': '20150830T123600Z',
    authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
  });
});

test('a session token is sent and signed', () => {
  const headers = signRequest(
    { method: 'GET', url: new URL('https://example.amazonaws.com/'), headers: {}, body: '' },
    { ...key, sessionToken: new ApiKey('token') },
    'service',
    at,
  );
  expect(headers['x-amz-security-token']).toBe('token');
  expect(headers['authorization']).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token');
});

// The signature that botocore 1.4 computes for the same request.
test('the path of a model with a colon is encoded twice', () => {
  const { authorization } = signRequest(
    {
      method: 'POST',
      url: new URL('https://bedrock-runtime.us-east-1.amazonaws.com/model/a.b-v2%3A0/converse'),
      headers: { 'content-type': 'application/json' },
      body: '{"messages":[]}',
    },
    key,
    'bedrock',
    at,
  );
  expect(authorization).toContain(
    'Signature=d36641921dbcc72c1c5edbda5e9b1d37c883a8991102386ebfa4340adb9317bf',
  );
});
