import { HttpError } from '@millrace/http';
import { openMemoryStore } from '@millrace/key-value';
import { KeyRateLimit } from './index';

const lines: string[] = [];
const away = { take: () => Promise.reject(new Error('away')) };

function limited(perSecond: number | undefined, options: { processes?: number; isAway?: boolean } = {}) {
  const { processes = 1, isAway = false } = options;
  return new KeyRateLimit({
    perSecond,
    keyValue: isAway ? away : openMemoryStore(),
    name: 'requests',
    processes,
    logger: {
      info: (_fields: object, text: string) => lines.push(text),
      warn: (_fields: object, text: string) => lines.push(text),
    } as never,
  });
}

async function refusal(limit: KeyRateLimit, keyHash: string): Promise<unknown> {
  return Promise.resolve(limit.count(keyHash)).then(
    () => null,
    (error: unknown) => error,
  );
}

test('the error names the limit, and when the next request is accepted', async () => {
  const limit = limited(1);
  expect(await refusal(limit, 'key')).toBeNull();
  const error = await refusal(limit, 'key');
  expect(error).toBeInstanceOf(HttpError);
  expect(error).toMatchObject({
    code: 'rate_limited',
    status: 429,
    message: 'Too many requests: the limit of this API key is 1 per second.',
    headers: { 'retry-after': '1', 'ratelimit-policy': '"key";q=1;w=1', ratelimit: '"key";r=0;t=1' },
  });
  expect(await refusal(limit, 'another key')).toBeNull();
});

test('while the key-value store is away, each process grants its part', async () => {
  const limit = limited(2, { processes: 4, isAway: true });
  expect(await refusal(limit, 'key')).toBeNull();
  expect(await refusal(limit, 'key')).toMatchObject({
    code: 'rate_limited',
    headers: { 'retry-after': '2' },
  });
  expect(lines.splice(0)).toEqual([expect.stringContaining('divided among processes')]);
});

test('without a limit, every request is accepted without a promise', () => {
  const limit = limited(undefined);
  for (let request = 0; request < 1_000; request += 1) expect(limit.count('key')).toBeUndefined();
});
