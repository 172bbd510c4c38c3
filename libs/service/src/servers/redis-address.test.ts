import { redisAddress, redisPlace } from './redis-address';

const plain = { username: undefined, password: undefined, primary: undefined, sentinelPassword: undefined };

test.each([
  [
    'redis://h',
    { ...plain, kind: 'server', isEncrypted: false, hosts: [{ host: 'h', port: 6379 }], database: 0 },
  ],
  [
    'rediss://ann:a%40b@[::1]:1/3',
    {
      ...plain,
      kind: 'server',
      isEncrypted: true,
      hosts: [{ host: '::1', port: 1 }],
      username: 'ann',
      password: 'a@b',
      database: 3,
    },
  ],
  [
    'redis+sentinel://:p@h1,h2:5/mymaster/2?sentinel_password=q',
    {
      kind: 'sentinel',
      isEncrypted: false,
      hosts: [
        { host: 'h1', port: 26_379 },
        { host: 'h2', port: 5 },
      ],
      username: undefined,
      password: 'p',
      primary: 'mymaster',
      sentinelPassword: 'q',
      database: 2,
    },
  ],
  [
    'rediss+cluster://h1:7000,h2:7001',
    {
      ...plain,
      kind: 'cluster',
      isEncrypted: true,
      hosts: [
        { host: 'h1', port: 7000 },
        { host: 'h2', port: 7001 },
      ],
      database: 0,
    },
  ],
])('%s', (address, expected) => {
  expect(redisAddress(address)).toEqual(expected);
});

test.each([
  ['nothing', 'is not a URL'],
  ['http://h', 'must begin with redis:// or rediss:// or redis+sentinel://'],
  ['redis://h1,h2', 'names several hosts, which need redis+sentinel:// or redis+cluster://'],
  ['redis+sentinel://h1,h2', 'must end with the name of the primary'],
  ['redis+cluster://h1/3', 'has a database, but a cluster has only number 0'],
  ['redis://h/x', 'has a database that is not a number'],
  ['redis+cluster://h1,:7', 'has no valid host at place 2'],
])('%s is refused: %s', (address, problem) => {
  expect(() => redisAddress(address)).toThrow(problem);
});

test('its place has no password', () => {
  expect(redisPlace('redis+sentinel://:secret@h1,h2:5/mymaster')).toBe('h1:26379,h2:5/mymaster');
});
