import { parseIssuers } from './issuer-settings';

const one = { name: 'one', issuer: 'https://id.example', audience: 'api', roles: { '*': 'run' } };
const PROJECT = '6f1c2a50-3b7e-4c11-9f0a-2d4e8b9a1c07';
const read = (...issuers: readonly object[]) => parseIssuers(JSON.stringify(issuers));

test('an issuer has what its setting says, and defaults', () => {
  expect(parseIssuers('[]')).toEqual([]);
  expect(read(one)).toEqual([
    {
      name: 'one',
      issuer: 'https://id.example',
      audience: ['api'],
      clientId: undefined,
      clientSecret: undefined,
      cliClientId: undefined,
      scope: 'openid profile email',
      groupsClaim: 'groups',
      endUserClaim: undefined,
      roles: new Map([['*', 'run']]),
      projects: new Map(),
      users: new Map(),
    },
  ]);
  const whole = {
    name: 'a'.repeat(32),
    issuer: 'http://127.0.0.1:8080/',
    client_id: 'console',
    client_secret: 'secret',
    cli_client_id: 'cli',
    scope: 'email openid',
    groups_claim: 'realm.roles',
    end_user_claim: 'email',
    roles: { '*': 'run' },
    projects: { [`ann/${PROJECT}`]: { team: 'editor', '*': 'viewer' } },
    users: { subject: 'ann' },
  };
  expect(read(whole)).toEqual([
    {
      name: 'a'.repeat(32),
      issuer: 'http://127.0.0.1:8080/',
      audience: [],
      clientId: 'console',
      clientSecret: 'secret',
      cliClientId: 'cli',
      scope: 'email openid',
      groupsClaim: 'realm.roles',
      endUserClaim: 'email',
      roles: new Map([['*', 'run']]),
      projects: new Map([
        [
          `ann/${PROJECT}`,
          new Map([
            ['team', 'editor'],
            ['*', 'viewer'],
          ]),
        ],
      ]),
      users: new Map([['subject', 'ann']]),
    },
  ]);
});

test.each([
  [{ name: 'One' }, '"name" must match [a-z0-9-], at most 32 characters'],
  [{ name: 'a'.repeat(33) }, '"name" must match [a-z0-9-], at most 32 characters'],
  [{ issuer: 'http://id.example' }, '"issuer" must be an https:// URL, or http:// of the own host'],
  [{ roles: {} }, '"roles" must give a group, or "*", a role'],
  [{ roles: { a: 'owner' } }, 'a role must be run, manage or admin'],
  [{ scope: 'email' }, '"scope" must contain openid'],
  [{ audience: [] }, '"audience", "client_id" or "cli_client_id" must be set'],
  [{ more: 1 }, 'more'],
  [{ projects: [] }, '"projects": must be an object'],
  [
    { projects: { shop: { a: 'viewer' } } },
    '"shop" must be the name of a user, a slash and the id of a project, in lower case',
  ],
  [{ projects: { [PROJECT]: {} } }, 'must be the name of a user, a slash'],
  [{ projects: { [`/${PROJECT}`]: {} } }, 'must be the name of a user, a slash'],
  [{ projects: { [`ann/${PROJECT.toUpperCase()}`]: {} } }, 'id of a project, in lower case'],
  [{ projects: { [`ann/${PROJECT}`]: 'viewer' } }, `"ann/${PROJECT}" must be an object of texts`],
  [{ projects: { [`ann/${PROJECT}`]: { a: 'admin' } } }, 'a role must be viewer, operator, editor or owner'],
  [{ projects: { [`ann/${PROJECT}`]: {} }, roles: {}, end_user_claim: 'sub' }, '"projects" needs "roles"'],
  [
    { projects: { [`ann/${PROJECT}`]: {} }, users: { a: 'ann', b: 'ann' } },
    'must link a user to one subject',
  ],
])('an issuer with %j is refused', (changes, reason) => {
  expect(() => read(one, { ...one, ...changes })).toThrow(reason);
  expect(() => read(one, { ...one, ...changes })).toThrow('issuer 2');
});

test('the setting is a list of up to 20 issuers, each once', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      ...one,
      name: `n${index}`,
      issuer: `https://id${index}.example`,
    }));
  expect(read(...many(20))).toHaveLength(20);
  expect(() => read(...many(21))).toThrow('must be a list of at most 20 issuers');
  expect(() => parseIssuers('{}')).toThrow('must be a list of at most 20 issuers');
  expect(() => parseIssuers('{"secret"')).toThrow(new Error('must be JSON'));
  expect(() => read(one, { ...one, issuer: 'https://b.example' })).toThrow('has two issuers with one "name"');
  expect(() => read(one, { ...one, name: 'two' })).toThrow('has two issuers with one "issuer"');
});
