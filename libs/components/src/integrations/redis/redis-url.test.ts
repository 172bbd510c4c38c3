import { parseRedisUrl } from './redis-url';

test.each([
  [
    'redis://me:p%40ss@cache.test:7000/3',
    { host: 'cache.test', port: 7000, database: 3, username: 'me', password: 'p@ss' },
  ],
  ['redis://[::1]', { host: '::1', port: 6379, database: 0, username: '', password: '' }],
])('%s is an address', (text, address) => {
  expect(parseRedisUrl(text)).toEqual(address);
});

test.each([
  ['rediss://cache.test', 'Redis over TLS (rediss://) is not supported.'],
  ['http://:secret@cache.test', 'The Redis connection string is not valid'],
  ['redis://cache.test/x', 'The Redis connection string is not valid'],
  ['cache', 'The Redis connection string is not valid'],
])('%s is refused', (text, message) => {
  expect(() => parseRedisUrl(text)).toThrow(message);
  expect(() => parseRedisUrl(text)).not.toThrow('secret');
});
