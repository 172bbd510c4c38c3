import { parseSecretStore } from './secret-store-setting';

const token = 'hvs.a-secret';
const vault = (members: object) =>
  JSON.stringify({ vault: { url: 'https://vault.example:8200', token, ...members } });

test('a folder, and a Vault with the defaults of its members', () => {
  expect(parseSecretStore('{"folder": "/mnt/secrets"}')).toEqual({ folder: '/mnt/secrets' });
  expect(parseSecretStore(vault({ url: 'http://127.0.0.1:8200/' }))).toEqual({
    vault: {
      url: 'http://127.0.0.1:8200',
      namespace: undefined,
      mount: 'secret',
      path: 'millrace',
      login: { token },
    },
  });
});

test.each([
  ['no JSON', `{"token": "${token}"`, 'must be JSON'],
  ['nothing', '{}', 'either "folder" or "vault"'],
  ['both', `{"folder": "/a", "vault": {}}`, 'either "folder" or "vault"'],
  ['a relative folder', '{"folder": "secrets"}', 'absolute'],
  ['an unknown member', '{"folder": "/a", "depth": 1}', '"depth" is unknown'],
  ['an unencrypted address', vault({ url: 'http://vault.example' }), 'https://'],
  ['a path that leads out', vault({ path: 'a/../b' }), 'must be names'],
  ['no login', vault({ token: undefined }), 'either "token"'],
  ['two logins', vault({ role_id: 'a', secret_id: 'b' }), 'either "token"'],
  ['half an AppRole', vault({ token: undefined, role_id: 'a' }), 'either "token"'],
])('%s is refused, without a secret in the reason', (_, json, reason) => {
  const parse = () => parseSecretStore(json);
  expect(parse).toThrow(reason);
  expect(parse).not.toThrow(token);
});
