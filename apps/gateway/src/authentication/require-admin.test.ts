import { gatewayForTests } from '../testing/test-gateway';

let strangerId: string;
let flowId: string;
const gateway = gatewayForTests();
beforeAll(async () => {
  const created = await gateway.call('POST', '/api/v1/users', { username: 'stranger' });
  const { id, api_key: key } = created.json as { id: string; api_key: string };
  strangerId = id;
  const flow = await gateway.call('POST', '/api/v1/flows/', { name: 'theirs' }, { 'x-api-key': key });
  flowId = (flow.json as { id: string }).id;
}, 60_000);

const routes = (): readonly string[] => [
  '/api/v1/users',
  `/api/v1/flows/${flowId}/versions/1?user_id=${strangerId}`,
  '/api/v1/runs?all_users=true',
  `/api/v1/runs?user_id=${strangerId}`,
  '/api/v1/audit',
  '/api/v1/audit/export',
  '/api/v1/author-code',
  '/api/v1/workers',
  '/api/v1/system/settings',
  '/api/v1/system/health',
];

test('a user who is no admin any more is refused, also while the gateway still knows the key as one of an admin', async () => {
  const statuses = async () => {
    const answers: unknown[] = [];
    for (const route of routes()) answers.push([route, (await gateway.call('GET', route)).status]);
    return answers;
  };
  const setAdmin = (isAdmin: boolean) =>
    gateway.database.query({
      text: 'UPDATE users SET is_admin = $2 WHERE id = $1',
      values: [gateway.user.id, isAdmin],
    });
  const allowed = await statuses();
  await setAdmin(false);
  const refused = await statuses();
  await setAdmin(true);
  expect(allowed).toEqual(routes().map((route) => [route, 200]));
  expect(refused).toEqual(routes().map((route) => [route, 403]));
});
