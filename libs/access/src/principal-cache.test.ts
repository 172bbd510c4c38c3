import type { Principal } from '@millrace/runs';
import { PrincipalCache } from './principal-cache';

function principal(keyHash: string, expiresAt: Date | null = null): Principal {
  return { userId: 'user', keyId: 'key', keyHash, scopes: ['run'], expiresAt, bounds: null };
}

test('concurrent callers share one database query, and the result is cached', async () => {
  let asked = 0;
  const cache = new PrincipalCache({
    apiKeys: {
      resolve: async (keyHash) => {
        asked += 1;
        return keyHash === 'good' ? principal(keyHash) : null;
      },
    },
  });
  const together = await Promise.all(Array.from({ length: 20 }, () => cache.find('good')));
  expect(new Set(together.map((found) => found?.userId))).toEqual(new Set(['user']));
  expect(cache.find('good')).toMatchObject({ userId: 'user' });
  expect(await cache.find('bad')).toBeNull();
  expect(cache.find('bad')).toBeNull();
  expect(asked).toBe(2);
});

test('a key that is revoked during its lookup is not cached', async () => {
  let answer: (found: Principal | null) => void = () => undefined;
  const cache = new PrincipalCache<Principal>({
    apiKeys: { resolve: () => new Promise((resolve) => (answer = resolve)) },
  });
  const before = cache.find('hash');
  cache.invalidate('hash');
  answer(principal('hash'));
  await before;
  const after = cache.find('hash');
  expect(after).toBeInstanceOf(Promise);
  answer(null);
  expect(await after).toBeNull();
});

test('a cached key expires at its date', async () => {
  let now = 0;
  const cache = new PrincipalCache({
    now: () => now,
    apiKeys: { resolve: async (keyHash) => principal(keyHash, new Date(1_000)) },
  });
  expect(await cache.find('hash')).not.toBeNull();
  now = 1_000;
  expect(await cache.find('hash')).toBeNull();
});

test('a flood of bad keys does not evict the good ones', async () => {
  let asked = 0;
  const cache = new PrincipalCache({
    apiKeys: {
      resolve: async (keyHash) => {
        asked += 1;
        return keyHash === 'good' ? principal(keyHash) : null;
      },
    },
  });
  await cache.find('good');
  for (let index = 0; index < 25_000; index += 1) await cache.find(`bad ${index}`);
  asked = 0;
  await cache.find('good');
  expect(asked).toBe(0);
});
