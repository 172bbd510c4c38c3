import { createGateway } from '../../gateway';
import { fromConsole, signIn } from '../../testing/console-session';
import { makeTenant } from '../../testing/tenant';
import type { Tenant } from '../../testing/tenant';
import { gatewayForTests } from '../../testing/test-gateway';
import type { Answer } from '../../testing/test-gateway';

const UNKNOWN = '00000000-0000-4000-8000-00000000000e';
const SECRET = 'a payload of the team';

interface Guest {
  readonly id: string;
  readonly key: string;
}

const gateway = gatewayForTests();
let team: Tenant;
let guest: Guest;
let run: string;
beforeAll(async () => {
  team = await makeTenant(gateway, 'team');
  guest = await makeUser('guest');
  const started = await team.call('POST', `/api/v1/run/${team.ids.flow}`, { input_value: SECRET });
  run = started.headers.get('x-run-id') ?? '';
}, 60_000);

async function makeUser(username: string): Promise<Guest> {
  const { json } = await gateway.call('POST', '/api/v1/users', { username });
  const { id, api_key: key } = json as { readonly id: string; readonly api_key: string };
  return { id, key };
}

const pathOf = (user = guest.id, project = team.ids.project) => `/api/v1/members/${project}/${user}`;
const share = (body: object) => team.call('PUT', pathOf(), body);
const headersOf = (key = guest.key) => ({ 'x-api-key': key, 'x-millrace-project': team.ids.project });

function asMember(method: string, path: string, body?: unknown, key?: string): Promise<Answer> {
  return gateway.call(method, path, body, headersOf(key));
}

test('a project has members with roles, which a repeated request changes', async () => {
  expect((await share({ role: 'viewer' })).json).toMatchObject({ username: 'guest', payloads: false });
  const { json } = await share({ role: 'operator' });
  const shown = { user_id: guest.id, username: 'guest', role: 'operator', payloads: true };
  expect(json).toEqual({ ...shown, created_at: expect.any(String), issuer: null });
  const listed = await team.call('GET', `/api/v1/members/${team.ids.project}`);
  expect(listed.json).toEqual({ members: [json] });
  const own = await gateway.call('GET', '/api/v1/memberships', undefined, { 'x-api-key': guest.key });
  expect(own.json).toEqual({
    memberships: [
      {
        project_id: team.ids.project,
        project_name: 'Starter Project',
        owner_id: expect.any(String),
        owner_username: 'team',
        role: 'operator',
        payloads: true,
        created_at: expect.any(String),
        issuer: null,
      },
    ],
  });
});

test.each([
  ['a role that there is not', { role: 'admin' }, 422, 'role'],
  ['no role', {}, 422, 'role'],
  ['an operator without payloads', { role: 'operator', payloads: false }, 400, 'only a viewer'],
  ['an unknown member', { role: 'viewer', scope: 'admin' }, 422, 'scope'],
])('%s is refused', async (_what, body, status, text) => {
  const answer = await share(body);
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(text)]);
});

test('only a user who exists, and does not own the project, becomes a member', async () => {
  const me = (await team.call('GET', '/api/v1/users/whoami')).json as { readonly id: string };
  expect((await team.call('PUT', pathOf(me.id), { role: 'viewer' })).text).toContain('theirs');
  expect((await team.call('PUT', pathOf(UNKNOWN), { role: 'viewer' })).text).toContain('User not found');
});

test('a name stands for its user, and one in the form of an id for no user', async () => {
  const named = async (username: string) => {
    const { id } = await makeUser(username);
    const path = pathOf(encodeURIComponent(username));
    const put = await team.call('PUT', path, { role: 'viewer' });
    const removed = await team.call('DELETE', path);
    await gateway.call('DELETE', `/api/v1/users/${id}`);
    return [put.status, (put.json as { readonly username?: string }).username, removed.status];
  };
  for (const name of ['Ann of/the "team"?#%2f', 'אנה <b>', 'x'.repeat(200)])
    expect(await named(name)).toEqual([200, name, 204]);
  expect(await named(UNKNOWN)).toEqual([404, undefined, 404]);
  expect(await named(team.ids.project.replaceAll('-', ''))).toEqual([404, undefined, 404]);
  expect((await team.call('PUT', pathOf('absent'), { role: 'viewer' })).text).toContain('User not found');
  expect((await team.call('PUT', pathOf('a%00b'), { role: 'viewer' })).status).toBe(400);
});

test('a user is a member of one project with an id, which another user cannot take', async () => {
  const thief = await makeTenant(gateway, 'thief');
  await thief.call('PUT', `/api/v1/projects/${team.ids.project}`, { name: 'same id' });
  const newcomer = await makeUser('newcomer');
  expect((await team.call('PUT', pathOf(newcomer.id), { role: 'viewer' })).status).toBe(200);
  expect((await team.call('DELETE', pathOf(newcomer.id))).status).toBe(204);
  const { status, headers } = await thief.call('PUT', pathOf(), { role: 'owner' });
  expect([status, headers.get('x-error-code')]).toEqual([409, 'duplicate']);
  expect((await thief.call('DELETE', pathOf())).status).toBe(404);
  expect((await asMember('GET', `/api/v1/runs/${run}`)).status).toBe(200);
  await thief.call('DELETE', `/api/v1/projects/${team.ids.project}`);
});

test('a viewer sees runs without payloads, and with the right to them all of them', async () => {
  const failure = { code: 'vertex_failed', message: SECRET, vertex: null, problems: [] };
  await gateway.database.query({
    text: `UPDATE runs SET failure = $2 WHERE id = $1`,
    values: [run, JSON.stringify(failure)],
  });
  const paths = [`/runs/${run}`, `/runs?flow_id=${team.ids.flow}`, `/runs/${run}/attempts`];
  const read = async () => Promise.all(paths.map((path) => asMember('GET', `/api/v1${path}`)));
  await share({ role: 'viewer' });
  const [one, ...others] = await read();
  for (const answer of [one, ...others]) {
    expect(answer?.status).toBe(200);
    expect(answer?.text).not.toContain(SECRET);
  }
  expect(one?.json).toMatchObject({ result: null, error: { code: 'vertex_failed', vertex: null } });
  expect((await asMember('GET', `/api/v1/runs/${run}/request`)).text).toContain('sees no payloads');
  await share({ role: 'viewer', payloads: true });
  const [seen] = await read();
  expect(seen?.json).toMatchObject({ result: expect.anything(), error: failure });
  expect((await asMember('GET', `/api/v1/runs/${run}/request`)).text).toContain(SECRET);
});

test('what a member does counts for the owner, and names the member', async () => {
  await share({ role: 'operator' });
  const started = await asMember('POST', `/api/v1/run/${team.ids.flow}`, { input_value: 'x' });
  const id = started.headers.get('x-run-id') ?? '';
  const owner = ((await team.call('GET', '/api/v1/users/whoami')).json as { readonly id: string }).id;
  expect((await asMember('GET', `/api/v1/runs/${id}`)).json).toMatchObject({ user_id: owner });
  expect((await asMember('GET', '/api/v1/users/whoami')).json).toMatchObject({ username: 'guest' });
  await share({ role: 'editor' });
  await asMember('POST', `/api/v1/flows/${team.ids.flow}/pause`, {});
  await asMember('POST', `/api/v1/flows/${team.ids.flow}/resume`);
  const [entry] = await gateway.audit.list({ limit: 1 });
  expect(entry).toMatchObject({ action: 'flow.resumed', userId: guest.id, objectId: team.ids.flow });
});

test('a session of the console acts for the project as its key does', async () => {
  const { cookie } = await signIn(gateway, guest.key);
  const further = { 'x-millrace-project': team.ids.project, ...fromConsole, cookie };
  const read = () => gateway.call('GET', `/api/v1/flows/${team.ids.flow}`, undefined, further);
  expect((await read()).json).toMatchObject({ id: team.ids.flow });
  await share({ role: 'operator' });
  expect((await read()).status).toBe(403);
  await share({ role: 'editor' });
});

test('an editor writes flows of the project, and moves none out of it', async () => {
  const elsewhere = (await team.call('POST', '/api/v1/projects/', { name: 'elsewhere' })).json as {
    id: string;
  };
  const flow = { name: 'by guest', data: { nodes: [], edges: [] } };
  const create = (folder?: string) => asMember('POST', '/api/v1/flows/', { ...flow, folder_id: folder });
  for (const folder of [undefined, elsewhere.id, UNKNOWN])
    expect((await create(folder)).text).toContain('give its id as folder_id');
  const { id } = (await create(team.ids.project)).json as { readonly id: string };
  const move = await asMember('PATCH', `/api/v1/flows/${id}`, { folder_id: elsewhere.id });
  expect([move.status, move.headers.get('x-error-code')]).toEqual([403, 'permission_denied']);
  expect((await asMember('PATCH', `/api/v1/flows/${id}`, { name: 'renamed' })).status).toBe(200);
  expect((await team.call('GET', `/api/v1/flows/${id}`)).json).toMatchObject({
    name: 'renamed',
    folder_id: team.ids.project,
  });
  expect((await asMember('DELETE', `/api/v1/flows/${id}`)).status).toBe(200);
});

test('an owner manages members, and no role gives more than the own key has', async () => {
  await share({ role: 'owner' });
  const another = await makeUser('another');
  expect((await asMember('PUT', pathOf(another.id), { role: 'viewer' })).status).toBe(200);
  expect((await asMember('DELETE', pathOf(another.id))).status).toBe(204);
  const make = async (body: object) =>
    (await gateway.call('POST', '/api/v1/api_key/', body, { 'x-api-key': guest.key })).json as {
      readonly api_key: string;
    };
  const { api_key: runner } = await make({ scopes: ['run'] });
  expect((await asMember('GET', `/api/v1/flows/${team.ids.flow}`, undefined, runner)).status).toBe(403);
  const { api_key: reader } = await make({ access: 'read_only' });
  expect((await asMember('POST', `/api/v1/run/${team.ids.flow}`, {}, reader)).text).toContain('read-only');
  expect((await asMember('GET', `/api/v1/runs/${run}`, undefined, reader)).status).toBe(200);
});

test('a key for the project has the role of its maker at each use, and is for nothing else', async () => {
  await share({ role: 'operator' });
  const make = (body: object, key = guest.key) =>
    gateway.call('POST', '/api/v1/api_key/', body, { 'x-api-key': key });
  const made = await make({ name: 'ci', projects: [team.ids.project] });
  expect(made.json).toMatchObject({ projects: [team.ids.project], member: true, scopes: ['run'] });
  const { id, api_key: key } = made.json as { readonly id: string; readonly api_key: string };
  const use = (method: string, path: string, body?: unknown, further = {}) =>
    gateway.call(method, path, body, { 'x-api-key': key, ...further });
  const start = () => use('POST', `/api/v1/run/${team.ids.flow}`, { input_value: 'x' });
  expect((await start()).status).toBe(200);
  expect((await use('GET', '/api/v1/memberships')).status).toBe(403);
  const limit = (limits: object) =>
    gateway.call('PUT', `/api/v1/limits/api_key/${id}`, limits, { 'x-api-key': guest.key });
  expect((await limit({ budget: { tokens_per_day: 1 } })).status).toBe(200);
  expect((await limit({ requests_per_second: 1_000 })).status).toBe(200);
  const third = await makeTenant(gateway, 'third');
  const elsewhere = third.ids.project;
  const refused = (await make({ projects: [elsewhere] })).text;
  expect(refused).toContain(`Project ${elsewhere} not found`);
  expect((await make({ projects: [UNKNOWN] })).text.replace(UNKNOWN, elsewhere)).toBe(refused);
  await third.call('PUT', pathOf(guest.id, elsewhere), { role: 'operator' });
  const named = { 'x-millrace-project': elsewhere };
  expect((await use('GET', '/v1/models', undefined, named)).text).toContain('not a member');
  expect((await make({ projects: [team.ids.project, UNKNOWN] })).status).toBe(404);
  const mine = (await gateway.call('GET', '/api/v1/projects/', undefined, { 'x-api-key': guest.key }))
    .json as {
    readonly id: string;
  }[];
  expect((await make({ projects: [team.ids.project, mine[0]?.id] })).text).toContain('that project alone');
  const ofMine = (await make({ projects: [mine[0]?.id] })).json as { readonly api_key: string };
  expect((await asMember('GET', '/v1/models', undefined, ofMine.api_key)).text).toContain('not a member');
  const { json } = await gateway.call('POST', `/api/v1/api_key/${id}/rotate`, {}, { 'x-api-key': guest.key });
  expect(json).toMatchObject({ member: true });
  await share({ role: 'viewer' });
  expect((await start()).text).toContain('The role viewer');
  await team.call('DELETE', pathOf());
  const { status, text } = await start();
  expect([status, text]).toEqual([403, '{"detail":"You are not a member of this project."}']);
});

test('a change holds at another gateway once it is answered, and ends open streams', async () => {
  await share({ role: 'operator' });
  const other = createGateway({ ...gateway, instance: `${gateway.instance}-other` });
  const { port } = await other.listen({ host: '127.0.0.1', port: 0 });
  try {
    const read = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, { headers: headersOf() });
      const ended = answer.text().then(
        () => 'ended',
        () => 'cut',
      );
      return { status: answer.status, ended };
    };
    const open = await read(`/webhook-events/${team.ids.flow}`);
    expect(open.status).toBe(200);
    await share({ role: 'viewer' });
    expect(await open.ended).toBe('ended');
    expect((await read(`/webhook-events/${team.ids.flow}`)).status).toBe(403);
    expect((await read(`/runs/${run}`)).status).toBe(200);
    await team.call('DELETE', pathOf());
    expect((await read(`/runs/${run}`)).status).toBe(403);
    await share({ role: 'viewer' });
    expect((await read(`/runs/${run}`)).status).toBe(200);
    const owner = ((await team.call('GET', '/api/v1/users/whoami')).json as { readonly id: string }).id;
    const activate = (is_active: boolean) => gateway.call('PATCH', `/api/v1/users/${owner}`, { is_active });
    await activate(false);
    expect((await read(`/runs/${run}`)).status).toBe(403);
    await activate(true);
    expect((await read(`/runs/${run}`)).status).toBe(200);
  } finally {
    await other.close();
  }
});

test('with the project, with its owner and with the member the membership ends', async () => {
  const owner = await makeTenant(gateway, 'leaving');
  const create = async () => {
    const { id } = (await owner.call('POST', '/api/v1/projects/', { name: 'p' })).json as { id: string };
    await owner.call('PUT', pathOf(guest.id, id), { role: 'viewer' });
    return id;
  };
  const isMember = async (project: string) => {
    const headers = { 'x-api-key': guest.key, 'x-millrace-project': project };
    return (await gateway.call('GET', '/v1/models', undefined, headers)).status === 200;
  };
  const [first, second] = [await create(), await create()];
  expect([await isMember(first), await isMember(second)]).toEqual([true, true]);
  await owner.call('DELETE', `/api/v1/projects/${first}`);
  await owner.call('PUT', `/api/v1/projects/${first}`, { name: 'again' });
  expect([await isMember(first), await isMember(second)]).toEqual([false, true]);
  const { id } = (await owner.call('GET', '/api/v1/users/whoami')).json as { readonly id: string };
  expect((await gateway.call('DELETE', `/api/v1/users/${id}`)).status).toBe(202);
  expect(await isMember(second)).toBe(false);
  expect((await gateway.call('DELETE', `/api/v1/users/${guest.id}`)).status).toBe(202);
  const { rows } = await gateway.database.query({ text: 'SELECT FROM project_members' });
  expect(rows).toEqual([]);
});
