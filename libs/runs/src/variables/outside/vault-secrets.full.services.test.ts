import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { untilSuccess } from '@millrace/service/testing';
import { freePort } from '@millrace/testing';
import { VaultSecrets } from './vault-secrets';

const ROOT = 'a token of the tests';
const ANN = '018f0000-0000-7000-8000-000000000001';
const BOB = '018f0000-0000-7000-8000-000000000002';
let folder: string;
let server: ChildProcess;
let url: string;
const opened: VaultSecrets[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-vault-'));
  const address = `127.0.0.1:${await freePort()}`;
  url = `http://${address}`;
  const words = ['server', '-dev', '-dev-no-store-token', `-dev-root-token-id=${ROOT}`];
  server = spawn(process.env['BAO'] ?? '', [...words, `-dev-listen-address=${address}`], {
    cwd: folder,
    env: { HOME: folder, PATH: process.env['PATH'] ?? '' },
    stdio: 'ignore',
  });
  server.on('error', () => undefined);
  await untilSuccess(() => administer('GET', 'sys/health'));
  await administer('PUT', 'sys/policies/acl/millrace', {
    policy: 'path "secret/data/millrace/*" { capabilities = ["read"] }',
  });
  await administer('POST', 'sys/auth/approle', { type: 'approle' });
  const role = { token_policies: 'millrace', token_ttl: '2s', token_max_ttl: '2s' };
  await administer('POST', 'auth/approle/role/millrace', role);
  await put(ANN, { API_KEY: 'sk-ann', NUMBER: 5 });
}, 120_000);
afterAll(async () => {
  for (const one of opened) await one.close();
  const ended = server && once(server, 'exit');
  if (server?.kill()) await ended;
  rmSync(folder, { recursive: true, force: true });
});

async function administer(method: string, path: string, body?: object): Promise<Record<string, string>> {
  const answer = await fetch(`${url}/v1/${path}`, {
    method,
    headers: { 'x-vault-token': ROOT, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return (text === '' ? {} : ((JSON.parse(text) as { data?: object }).data ?? {})) as Record<string, string>;
}

const put = (user: string, data: object) => administer('POST', `secret/data/millrace/${user}`, { data });

function open(login: ConstructorParameters<typeof VaultSecrets>[0]['login'], mount = 'secret'): VaultSecrets {
  const vault = new VaultSecrets({ url, namespace: undefined, mount, path: 'millrace', login });
  opened.push(vault);
  return vault;
}

async function appRole() {
  const { role_id: roleId } = await administer('GET', 'auth/approle/role/millrace/role-id');
  const { secret_id: secretId } = await administer('POST', 'auth/approle/role/millrace/secret-id', {});
  return { roleId: roleId ?? '', secretId: secretId ?? '' };
}

test('the fields of the secret of a user are read, and none of another user', async () => {
  const vault = open({ token: ROOT });
  expect([...(await vault.read(ANN))]).toEqual([
    ['API_KEY', 'sk-ann'],
    ['NUMBER', null],
  ]);
  expect((await vault.read(BOB)).size).toBe(0);
  await put(BOB, { OTHER: 'of bob' });
  expect([...(await vault.read(BOB))]).toEqual([['OTHER', 'of bob']]);
  await administer('DELETE', `secret/data/millrace/${BOB}`);
  expect((await vault.read(BOB)).size).toBe(0);
});

test('an AppRole reads with tokens that end, and with one that was revoked', async () => {
  const vault = open(await appRole());
  const began = performance.now();
  // Over the leases of two tokens.
  while (performance.now() - began < 5_000) expect((await vault.read(ANN)).get('API_KEY')).toBe('sk-ann');
  await administer('POST', 'sys/leases/revoke-prefix/auth/approle/login', {});
  expect((await vault.read(ANN)).get('API_KEY')).toBe('sk-ann');
});

test.each([
  ['a wrong token', async () => open({ token: 'wrong' }), '403'],
  ['a wrong AppRole', async () => open({ roleId: 'wrong', secretId: 'wrong' }), '400'],
  ['a mount that does not exist', async () => open({ token: ROOT }, 'none'), '404'],
])('%s is an error without a secret', async (_, make, status) => {
  const vault = await make();
  await expect(vault.read(ANN)).rejects.toThrow(status);
});
