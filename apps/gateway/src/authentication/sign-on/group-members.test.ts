import { recordingLogger, until } from '@millrace/service/testing';
import { createGateway } from '../../gateway';
import { beginSignIn, cookieOf } from '../../testing/begin-sign-in';
import { openTestGateway } from '../../testing/test-gateway';
import type { TestGateway } from '../../testing/test-gateway';
import { startTestIssuer } from '../../testing/test-issuer';
import type { TestIssuer } from '../../testing/test-issuer';

const PROJECT = '6f1c2a50-3b7e-4c11-9f0a-2d4e8b9a1c07';
const ABSENT = '6f1c2a50-3b7e-4c11-9f0a-2d4e8b9a1c08';
const MEMBERS = `/api/v1/members/${PROJECT}`;
const SECRET = 'a secret of the tests';
const PUBLIC = 'https://mill.example';
const CALLBACK = `${PUBLIC}/api/v1/sign-on/acme/callback`;
const program = (id: string) => ({
  client_id: id,
  client_secret: SECRET,
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
});
const consoleClient = {
  client_id: 'console',
  client_secret: SECRET,
  redirect_uris: [CALLBACK],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
};

const groups: Record<string, string[]> = { admin: ['staff', 'editors'] };
let issuer: TestIssuer;
let gateway: TestGateway;
let flow: string;

beforeAll(async () => {
  const clients = [...['ann', 'bob', 'eve', 'dan', 'admin'].map(program), consoleClient];
  issuer = await startTestIssuer({ clients, groups, rotatesTokens: true });
  const acme = {
    name: 'acme',
    issuer: issuer.url,
    audience: 'millrace',
    client_id: 'console',
    client_secret: SECRET,
    scope: 'openid profile groups',
    roles: { staff: 'manage' },
    projects: {
      [`admin/${PROJECT}`]: { editors: 'editor', viewers: 'viewer' },
      [`admin/${ABSENT}`]: { staff: 'owner' },
    },
    users: { admin: 'admin' },
  };
  gateway = await openTestGateway({
    environment: { MILLRACE_ISSUERS: JSON.stringify([acme]), MILLRACE_PUBLIC_URL: PUBLIC },
    // Each check has a token of another second.
    limits: { sessionCheckMilliseconds: 2_000 },
  });
  await gateway.call('PUT', `/api/v1/projects/${PROJECT}`, { name: 'shared' });
  flow = await gateway.createFlow({ name: 'f', data: { nodes: [], edges: [] }, folder_id: PROJECT });
}, 120_000);
afterAll(() => Promise.all([gateway?.close(), issuer?.stop()]));

const join = (account: string, ...of: string[]) => issuer.setGroups(Object.assign(groups, { [account]: of }));
const tokenOf = (account: string) => issuer.programToken(account, SECRET);
const headersOf = (token: string, project?: string) => ({
  'x-api-key': '',
  authorization: `Bearer ${token}`,
  ...(project !== undefined && { 'x-millrace-project': project }),
});
const useToken = async (token: string) =>
  (await gateway.call('GET', '/api/v1/users/whoami', undefined, headersOf(token))).status;
const readFlow = async (token: string) =>
  (await gateway.call('GET', `/api/v1/flows/${flow}`, undefined, headersOf(token, PROJECT))).status;

interface Listed {
  readonly user_id: string;
  readonly username: string;
  readonly role: string;
  readonly issuer: string | null;
}

async function memberOf(account: string): Promise<Pick<Listed, 'role' | 'issuer'> | undefined> {
  const { members } = (await gateway.call('GET', MEMBERS)).json as { readonly members: readonly Listed[] };
  const found = members.find(({ username }) => username === `${account} (acme)`);
  return found && { role: found.role, issuer: found.issuer };
}

async function lastEntry(action: string): Promise<object | undefined> {
  const { json } = await gateway.call('GET', `/api/v1/audit?action=${action}`);
  return (json as { readonly entries: readonly object[] }).entries[0];
}

/** Uses new tokens until the role of an account is this one. The times in tokens are whole seconds. */
async function follows(account: string, role: string | undefined): Promise<string> {
  let token = '';
  await until(async () => {
    token = await tokenOf(account);
    await useToken(token);
    return (await memberOf(account))?.role === role;
  });
  return token;
}

/** Calls this with the address of another gateway, which has seen no token. */
async function atAnother(work: (url: string) => Promise<void>, changes = {}): Promise<void> {
  const other = createGateway({ ...gateway, instance: `${gateway.instance}-other`, ...changes });
  const { port } = await other.listen({ host: '127.0.0.1', port: 0 });
  try {
    await work(`http://127.0.0.1:${port}`);
  } finally {
    await other.close();
  }
}

const whoamiAt = async (url: string, token: string) =>
  (await fetch(`${url}/api/v1/users/whoami`, { headers: headersOf(token) })).status;

test('a group gives a role in a project, which a newer token changes and ends, and an older one does not bring back', async () => {
  await join('ann', 'staff', 'viewers', 'editors');
  const first = await tokenOf('ann');
  expect(await readFlow(first)).toBe(200);
  expect(await memberOf('ann')).toEqual({ role: 'editor', issuer: issuer.url });
  expect(await lastEntry('project.shared')).toMatchObject({
    actor: 'system',
    object_id: PROJECT,
    object_name: 'shared',
    detail: { username: 'ann (acme)', role: 'editor', payloads: true, issuer: issuer.url },
  });
  const events = `${gateway.url}/api/v1/webhook-events/${flow}`;
  const stream = await fetch(events, { headers: headersOf(first, PROJECT) });
  expect(stream.status).toBe(200);
  await join('ann', 'staff', 'viewers');
  const second = await follows('ann', 'viewer');
  // The stream has ended, and with the older token the member is a viewer, too.
  await stream.text().catch(() => undefined);
  expect([await readFlow(first), await readFlow(second)]).toEqual([403, 403]);
  await join('ann', 'staff');
  await follows('ann', undefined);
  expect(await lastEntry('project.unshared')).toMatchObject({
    actor: 'system',
    detail: { username: 'ann (acme)', issuer: issuer.url },
  });
  await atAnother(async (url) => {
    for (const token of [first, second]) expect(await whoamiAt(url, token)).toBe(200);
    expect(await memberOf('ann')).toBeUndefined();
  });
});

test('who loses every role loses the projects', async () => {
  await join('bob', 'staff', 'viewers');
  await follows('bob', 'viewer');
  await join('bob', 'viewers');
  const token = await follows('bob', undefined);
  expect(await useToken(token)).toBe(403);
});

test('a member by hand stays, and one that the owner removes comes back', async () => {
  await join('eve', 'staff', 'editors');
  const token = await follows('eve', 'editor');
  const { json } = await gateway.call('GET', '/api/v1/users/whoami', undefined, headersOf(token));
  const path = `${MEMBERS}/${(json as { readonly id: string }).id}`;
  expect((await gateway.call('PUT', path, { role: 'operator' })).json).toMatchObject({ issuer: null });
  await atAnother(async (url) => {
    expect(await whoamiAt(url, token)).toBe(200);
    expect(await memberOf('eve')).toEqual({ role: 'operator', issuer: null });
  });
  expect((await gateway.call('DELETE', path)).status).toBe(204);
  await atAnother(async (url) => {
    expect(await whoamiAt(url, token)).toBe(200);
    expect(await memberOf('eve')).toEqual({ role: 'editor', issuer: issuer.url });
  });
});

test('the owner of a project is no member of it', async () => {
  expect(await readFlow(await tokenOf('admin'))).toBe(403);
  const { members } = (await gateway.call('GET', MEMBERS)).json as { readonly members: readonly Listed[] };
  expect(members.map(({ user_id: id }) => id)).not.toContain(gateway.user.id);
});

test('the check of a session follows the groups, also where the session ends', async () => {
  await join('dan', 'staff', 'editors');
  const { cookie, back } = await beginSignIn(gateway, { name: 'acme', account: 'dan', callback: CALLBACK });
  const { headers } = await gateway.call('GET', back.pathname + back.search, undefined, { cookie });
  const own = {
    'x-api-key': '',
    'x-millrace-console': '1',
    cookie: cookieOf(headers, 'millrace_session'),
  };
  const read = async () => (await gateway.call('GET', '/api/v1/console/session', undefined, own)).status;
  expect(await memberOf('dan')).toEqual({ role: 'editor', issuer: issuer.url });
  await join('dan', 'staff', 'viewers');
  await until(async () => {
    expect(await read()).toBe(200);
    return (await memberOf('dan'))?.role === 'viewer';
  });
  await join('dan');
  await until(async () => (await read()) === 401);
  await until(async () => (await memberOf('dan')) === undefined);
});

test('a gateway warns of projects that do not exist, and ends what the setting has no more', async () => {
  await join('ann', 'staff', 'editors');
  const token = await follows('ann', 'editor');
  const logger = recordingLogger();
  const warning = 'a project of MILLRACE_ISSUERS does not exist: groups give no role in it';
  await atAnother(() => until(() => logger.fieldsOf(warning).length > 0), { logger });
  expect(logger.fieldsOf(warning)).toEqual([{ project: `admin/${ABSENT}` }]);
  expect(await readFlow(token)).toBe(200);
  await atAnother(() => until(async () => (await memberOf('ann')) === undefined), {
    settings: { ...gateway.settings, MILLRACE_ISSUERS: undefined },
  });
  await until(async () => (await readFlow(token)) === 403);
});
