import { makeTenant } from '../../testing/tenant';
import { gatewayForTests } from '../../testing/test-gateway';

const UNKNOWN = '11111111-1111-4111-8111-111111111111';

const gateway = gatewayForTests();

interface User {
  readonly id: string;
  readonly username: string;
  readonly updated_at: string;
}

const asAdmin = (method: string, path: string, body?: object) =>
  gateway.call(method, `/api/v1/users/${path}`, body);
const create = async (username: string) =>
  (await asAdmin('POST', '', { username })).json as User & { readonly api_key: string };

test('a user has the members of Langflow', async () => {
  const { api_key: key, ...made } = await create('members');
  expect(made).toEqual({
    id: expect.any(String),
    username: 'members',
    profile_image: null,
    store_api_key: null,
    is_active: true,
    is_superuser: false,
    create_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updated_at: expect.any(String),
    last_login_at: null,
    optins: { github_starred: false, dialog_dismissed: false, discord_clicked: false },
  });
  expect((await asAdmin('GET', made.id)).json).toEqual(made);
  expect((await gateway.call('GET', '/api/v1/users/whoami', undefined, { 'x-api-key': key })).json).toEqual(
    made,
  );
});

test('users are listed by name, in pages', async () => {
  for (const name of ['paged-b', 'Paged-a', 'paged%c']) await create(name);
  const list = async (query: string) => {
    const { status, json } = await asAdmin('GET', `?${query}`);
    const { users, ...rest } = json as { users: User[] };
    return [status, users.map(({ username }) => username), rest];
  };
  const rest = (total_count: number) => ({ total_count, deletion_requests: {} });
  const sorted = ['Paged-a', 'paged%c', 'paged-b'];
  const [, found] = await list('search=PAGED');
  expect([...(found as string[])].sort()).toEqual(sorted);
  expect(await list('search=paged&limit=1&skip=1')).toEqual([200, [(found as string[])[1]], rest(3)]);
  expect(await list('search=d%25')).toEqual([200, ['paged%c'], rest(1)]);
  expect(await list('username=paged-b')).toEqual([200, ['paged-b'], rest(1)]);
  expect(await list('username=paged')).toEqual([200, [], rest(0)]);
  const refused = await asAdmin('GET', '?limit=201&skip=-1');
  expect([refused.status, refused.json]).toMatchObject([
    422,
    {
      detail: [
        { type: 'greater_than_equal', loc: ['query', 'skip'] },
        { type: 'less_than_equal', loc: ['query', 'limit'] },
      ],
    },
  ]);
});

test('a user changes themselves, and an admin every user', async () => {
  const [ann, bob] = [await makeTenant(gateway, 'changing'), await makeTenant(gateway, 'unchanged')];
  const idOf = async ({ call }: typeof ann) =>
    ((await call('GET', '/api/v1/users/whoami')).json as { id: string }).id;
  const [annId, bobId] = [await idOf(ann), await idOf(bob)];
  const change = async (body: object, { call } = ann, id = annId) => {
    const { status, json } = await call('PATCH', `/api/v1/users/${id}`, body);
    return [status, json];
  };
  const before = (await asAdmin('GET', annId)).json as User;
  const profile = { username: 'changed', profile_image: 'People/a.svg', optins: { dialog_dismissed: true } };
  expect(await change({ ...profile, is_active: null, password: null })).toEqual([
    200,
    { ...before, ...profile, updated_at: expect.any(String) },
  ]);
  const after = (await ann.call('GET', '/api/v1/users/whoami')).json as User;
  expect(after).toMatchObject(profile);
  expect(after.updated_at > before.updated_at).toBe(true);
  const [entry] = await gateway.audit.list({ limit: 1 });
  expect(entry).toMatchObject({
    action: 'user.updated',
    objectId: annId,
    detail: JSON.stringify({ changed: ['username', 'profile_image', 'optins'] }),
  });

  expect(await change({ username: bobId })).toMatchObject([200, { username: bobId }]);
  const { username } = (await asAdmin('GET', bobId)).json as User;
  expect(await change({ username })).toEqual([400, { detail: 'This username is unavailable.' }]);
  for (const is_active of [false, 'off', 0])
    expect(await change({ is_active })).toEqual([
      403,
      { detail: "You can't deactivate your own user account" },
    ]);
  for (const is_superuser of [true, 'yes', 1])
    expect(await change({ is_superuser })).toEqual([
      403,
      { detail: 'Only a superuser may promote or demote platform superusers' },
    ]);
  expect(await change({ password: 'x' })).toEqual([400, { detail: "You can't change your password here" }]);
  expect(await change({ usename: 'x' })).toMatchObject([422, { detail: [{ type: 'extra_forbidden' }] }]);
  expect(await change({ username: 'x' }, bob)).toEqual([403, { detail: 'Permission denied' }]);
  expect((await bob.call('GET', `/api/v1/users/${annId}`)).status).toBe(403);
  expect((await bob.call('GET', '/api/v1/users/')).json).toEqual({
    detail: "The user doesn't have enough privileges",
  });

  const unknown = { status: 404, json: { detail: 'User not found' } };
  expect(await asAdmin('PATCH', UNKNOWN, { username: 'x' })).toMatchObject(unknown);
  expect(await asAdmin('GET', UNKNOWN)).toMatchObject(unknown);
  expect(await asAdmin('PATCH', 'wrong_id', {})).toMatchObject({
    status: 422,
    json: { detail: [{ type: 'uuid_parsing', loc: ['path', 'user_id'] }] },
  });
});

test('keys of a deactivated user are refused until the user is active again', async () => {
  const { id, api_key: key } = await create('deactivated');
  const headers = { 'x-api-key': key };
  const ask = async () => (await gateway.call('GET', '/api/v1/users/whoami', undefined, headers)).status;
  expect(await ask()).toBe(200);
  expect(await asAdmin('PATCH', id, { is_active: false })).toMatchObject({
    status: 200,
    json: { is_active: false },
  });
  expect(await ask()).toBe(403);
  expect(await asAdmin('PATCH', id, { is_active: true })).toMatchObject({ json: { is_active: true } });
  expect(await ask()).toBe(200);
});

test('an admin makes a user an admin, and takes it back', async () => {
  const { id } = await create('promoted');
  const { api_key: key } = (await asAdmin('POST', '', { username: 'keeper', is_superuser: true })).json as {
    api_key: string;
  };
  const keeper = async (body: object) =>
    (await gateway.call('PATCH', `/api/v1/users/${id}`, body, { 'x-api-key': key })).json;
  expect(await keeper({ is_superuser: true })).toMatchObject({ is_superuser: true });
  const keeperId = ((await asAdmin('GET', '?username=keeper')).json as { users: User[] }).users[0]?.id ?? '';
  await asAdmin('PATCH', keeperId, { is_superuser: false });
  expect(await keeper({ is_superuser: false })).toEqual({ detail: 'Permission denied' });
  expect((await asAdmin('PATCH', id, { is_superuser: false })).json).toMatchObject({ is_superuser: false });
});
