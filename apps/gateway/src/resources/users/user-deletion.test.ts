import { makeTenant } from '../../testing/tenant';
import { gatewayForTests } from '../../testing/test-gateway';

const gateway = gatewayForTests();

/** Tables with a column of this name, and how many of their rows are the user's. */
async function rowsOf(userId: string): Promise<Readonly<Record<string, number>>> {
  const { rows: tables } = await gateway.database.query<{ name: string }>({
    text: `SELECT table_name AS name FROM information_schema.columns
      WHERE column_name = 'user_id' AND table_schema = current_schema() ORDER BY 1`,
  });
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } = await gateway.database.query<{ count: number }>({
      text: `SELECT count(*)::int AS count FROM ${name} WHERE user_id = $1`,
      values: [userId],
    });
    counts[name] = rows[0]?.count ?? 0;
  }
  return counts;
}

test('an admin deletes a user with everything that they have, and nothing of others', async () => {
  const [tenant, other] = [await makeTenant(gateway, 'ann'), await makeTenant(gateway, 'bob')];
  const idOf = async ({ call }: typeof tenant) =>
    ((await call('GET', '/api/v1/users/whoami')).json as { id: string }).id;
  const [userId, otherId] = [await idOf(tenant), await idOf(other)];
  const path = `/api/v1/users/${userId}`;
  const before = await rowsOf(otherId);
  const own = await rowsOf(userId);
  expect(Object.entries(own).filter(([, count]) => count > 0).length).toBeGreaterThan(8);

  expect((await other.call('DELETE', path)).status).toBe(403);
  expect((await gateway.call('DELETE', `/api/v1/users/${gateway.user.id}`)).status).toBe(400);
  expect(await gateway.call('DELETE', path)).toMatchObject({
    status: 202,
    json: { detail: 'User deletion started', request_id: expect.any(String) as unknown },
  });

  const left = Object.entries(await rowsOf(userId)).filter(([, count]) => count > 0);
  // The audit log is append-only: it has ids and names of objects, and no content.
  expect(left.map(([name]) => name)).toEqual(['audit_entries']);
  expect((await tenant.call('GET', '/api/v1/users/whoami')).status).toBe(403);
  expect(await rowsOf(otherId)).toEqual(before);
  const actions = (await gateway.audit.list({ limit: 20 })).map(({ action }) => action);
  expect(actions[0]).toBe('user.deleted');
  expect(actions).toEqual(expect.arrayContaining(['key.deleted', 'flow.deleted']));
  expect((await gateway.call('DELETE', path)).status).toBe(404);
});
