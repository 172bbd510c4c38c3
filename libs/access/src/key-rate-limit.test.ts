import { HttpError } from '@millrace/http';
import { KeyRateLimit } from './index';

function refusal(limit: KeyRateLimit, keyHash: string): unknown {
  try {
    limit.count(keyHash);
    return null;
  } catch (error) {
    return error;
  }
}

test('each process grants its part of the limit, and the error names the whole limit', () => {
  const limit = new KeyRateLimit({ perSecond: 2, processes: 4 });
  expect(refusal(limit, 'key')).toBeNull();
  const error = refusal(limit, 'key');
  expect(error).toBeInstanceOf(HttpError);
  expect(error).toMatchObject({
    code: 'rate_limited',
    status: 429,
    message: 'Too many requests: the limit of this API key is 2 per second.',
    headers: { 'retry-after': '2' },
  });
  expect(refusal(limit, 'another key')).toBeNull();
});

test('without a limit, every request is accepted', () => {
  const limit = new KeyRateLimit({ perSecond: undefined, processes: 1 });
  for (let request = 0; request < 1_000; request += 1) expect(refusal(limit, 'key')).toBeNull();
});
