import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { VaultSecrets } from './vault-secrets';

const SECRET = 'sk-of-the-tests';
const login = { roleId: 'role', secretId: 'secret' };
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let answer: Answer;
let signIns = 0;
/** What a sign-in gives, in seconds. */
let lease = 3_600;
const server = createServer((request, response) => {
  if (request.url !== '/v1/auth/approle/login') return answer(request, response);
  signIns += 1;
  send(response, 200, { auth: { client_token: `token-${signIns}`, lease_duration: lease } });
});
const opened: VaultSecrets[] = [];

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => {
  signIns = 0;
  lease = 3_600;
});
afterAll(async () => {
  for (const one of opened) await one.close();
  server.close();
});

function send(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
}

function open(): VaultSecrets {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const vault = new VaultSecrets({ url, namespace: undefined, mount: 'secret', path: 'millrace', login });
  opened.push(vault);
  return vault;
}

const users = Array.from({ length: 20 }, (_, index) => `user-${index}`);
const readAll = (vault: VaultSecrets) => Promise.allSettled(users.map((user) => vault.read(user)));
const found: Answer = (_, response) => send(response, 200, { data: { data: { KEY: SECRET } } });

test('reads that begin when a lease has ended share a sign-in', async () => {
  answer = found;
  const vault = open();
  // Has ended when it arrives.
  lease = -1;
  await vault.read('user');
  lease = 3_600;
  for (const one of await readAll(vault)) expect(one.status).toBe('fulfilled');
  expect(signIns).toBe(2);
});

test('reads whose token was revoked share a sign-in', async () => {
  const vault = open();
  answer = found;
  await vault.read('user');
  answer = (request, response) =>
    request.headers['x-vault-token'] === 'token-1' ? send(response, 403, {}) : found(request, response);
  for (const one of await readAll(vault)) expect(one.status).toBe('fulfilled');
  expect(signIns).toBe(2);
});

test('a policy that refuses users is not asked for a token by each of them', async () => {
  answer = (_, response) => send(response, 403, { errors: ['permission denied'] });
  const vault = open();
  for (const user of users) await expect(vault.read(user)).rejects.toThrow('403');
  expect(signIns).toBe(2);
});

test.each([
  ['a redirect', 307, '', { location: 'http://127.0.0.1:1/v1/secret' }, '307'],
  ['a sealed Vault', 503, { errors: [SECRET] }, {}, '503'],
  ['what is no JSON', 200, `<html>${SECRET}`, {}, 'JSON'],
  ['another engine', 200, { data: { KEY: SECRET } }, {}, 'KV version 2'],
  ['over 1 MiB', 200, SECRET.repeat(100_000), {}, 'over 1 MiB'],
  ['a wrong mount', 404, { errors: [`no handler for ${SECRET}`] }, {}, '404'],
  ['a 404 of a proxy in JSON', 404, { message: SECRET }, {}, '404'],
])(
  '%s is an error without its text, not a user without secrets',
  async (_, status, body, headers, reason) => {
    answer = (_request, response) => send(response, status, body, headers);
    const error: unknown = await open()
      .read('user')
      .catch((caught: unknown) => caught);
    expect(String(error)).toContain(reason);
    expect(String(error)).not.toContain(SECRET);
  },
);

test.each([
  ['none', { errors: [] }],
  ['a deleted version', { data: { data: null, metadata: { version: 1 } } }],
])('a 404 of Vault for %s is a user without secrets', async (_, body) => {
  answer = (_request, response) => send(response, 404, body);
  expect((await open().read('user')).size).toBe(0);
});
